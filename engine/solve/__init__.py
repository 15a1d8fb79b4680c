"""Solving: proves who wins with perfect play, or that it is a draw. `solver` is where a proof is asked for."""
