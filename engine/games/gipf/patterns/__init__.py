"""The evaluation of GIPF by patterns: what each line of the board holds is looked up in tables that were trained."""
