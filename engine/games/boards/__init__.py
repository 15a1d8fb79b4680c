"""Layouts, drawings and symmetries of boards."""
