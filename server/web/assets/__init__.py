"""What browsers are sent as it is: pages, scripts and styles, read once.

- `documents`: the pages as HTML documents: what each has of its own, ``pages/NAME.html``, in the frame that all of
  them share
- `static_files`: scripts and styles, ``static/``, served from memory
- `texts`: the texts of pages and scripts in other languages
"""
