"""The commands of ``arena-engine``, each a function in a module of its own; `engine.cli` lists them."""
