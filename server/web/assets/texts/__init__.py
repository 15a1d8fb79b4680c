"""The texts of the pages in other languages than English, in which they are written.

- `catalogue`: the texts of a language, from the files of its folder, ``german/pages.toml`` and so on
- `choice`: the language that a browser is answered in
- `headings`: the words of a contest's report on its page
- `markup`: the visible texts of a page of markup, found and put in another language
- `templates`: those of Jinja templates
- `requested`: the language of a request, and keeping another one
"""
