"""The organiser's console, ``/organise``: what goes on at the server, and contests to act on."""
