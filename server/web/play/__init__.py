"""Playing, analysis and reviews: questions that the processes of the pool answer."""
