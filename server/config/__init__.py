"""Configuration: settings, the files they are read from, and the limits of the server.

- `builtin_bot`: built-in bots as they are written: KIND[:LEVEL][:GAME], as in random, alphabeta:3 and
  alphabeta:3:arrows
- `config_file`: the configuration file of the server: the options of ``arena-server serve``, ``[tls]`` and
  ``[limits]``, in TOML
- `declared`: options as fields of a class, each with what it may be: read from a table of TOML, and checked on the
  command line
- `league_rules`: what the organiser of a league lets people keep on the server: the table ``[league]``
- `limits`: what an address, and a session, may ask of the server: the bounds, and the arithmetic of rates on a given
  clock
- `process_settings`: settings of a whole process: garbage collector, open files, priority, memory, signals
- `serve_options`: the options of ``arena-server serve``, declared once: for the command line, the file and
  doctor
- `settings`: what an organiser can set, and the bounds of the server: each with its unit and its reason
- `tls`: TLS: the certificate and the key that a server shows to its clients
- `tokens`: who may log in: a file of names and hashed tokens, ``name sha256`` a line
- `toml_table`: a table of a TOML file, read key by key: what is wrong with a value is said in one sentence, with its
  place
"""
