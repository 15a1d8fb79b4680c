"""Operations: logs, processes, and the service manager."""
