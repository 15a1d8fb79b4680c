"""Work in other processes: what may take long, or is told by strangers, takes neither the event loop nor its lock."""
