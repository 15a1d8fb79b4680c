"""Operations: logs, processes, and services."""
