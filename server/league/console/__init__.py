"""The organiser's console, ``/organise``: what goes on at the server, and contests to act on.

- `announcements`: what organisers tell everybody
- `audit`: what organisers do over the network
- `console_pages`: its routes and forms
- `contest_changes`: a contest read and changed, with the audit log; the command line does it in the same way
- `contest_form`: a form by whose fields a contest is written, ``/organise/new``
- `contest_view`: a contest as its organiser sees it
- `grade_pages`: grades of everybody by a rule
- `new_contest`: what may begin from a page: a contest file held against that, and its dry run
- `overview`: who is here, what is played, contests, and what the machine has left
- `similarity_pages`: which active versions of bots resemble each other
- `terminal`: what commands ask of the running server, and its answers
"""
