"""Playing, analysis and evaluations: questions that the processes of the pool answer."""
