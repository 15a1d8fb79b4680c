"""The texts of the pages in other languages than English, in which they are written."""
