"""A form by whose fields a contest is written, as the text of a contest file.

- `choices`: who can be chosen as an entrant
- `faults`: to which field a sentence about the file belongs
- `fields`: the fields: their names, their defaults, and their lines
- `filling`: a contest file as fields, as far as they can say it
- `pages`: the pages, ``/organise/new``
- `writing`: fields as a contest file
"""
