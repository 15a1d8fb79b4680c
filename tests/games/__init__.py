"""What holds for every game of the catalogue, and for a fifth game that is not in it."""
