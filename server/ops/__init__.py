"""Operations: logs, processes, and the service manager.

- `backoff`: how long to wait before something is tried again that fails again and again
- `descendants`: finding and ending what programs have started, also when it has left their process group or lost its
  parents
- `logs`: log lines on stderr, one an event
- `lru_cache`: a cache of bounded size, which lets go of what was used least recently
- `service_manager`: what a service manager is told: that the server is ready, alive, or stopping (the protocol of
  sd_notify(3))
- `typed_json`: JSON read into types, in any thread
- `workers`: work in other processes
"""
