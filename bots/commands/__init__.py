"""The commands of ``arena-bot``, a function each."""
