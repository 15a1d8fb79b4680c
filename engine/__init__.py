"""Rules, notation, records, clocks, search and solving, and the protocol as data. No sockets, no wall clock."""
