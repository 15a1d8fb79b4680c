"""The sandbox around a program: what it may see, use and call, and on which cores.

- `bubblewrap`: the command line of bubblewrap for a sandbox
- `cgroups`: control groups for sealed programs (cgroup v2): where they are available, the kernel enforces the limits
- `choice`: decides whether programs are sealed, from the contest file and the abilities of the machine
- `cores`: assigns processor cores: one to each program, the others to the server
- `process`: starting a program in a sandbox, and ending it with all that it has started: when its first process ends,
  all do
- `resource_usage`: what sealed programs use, as the system tells it, and the end of those that use more than they may
- `spawning`: starting the process of a program, sealed or not, on its core
- `syscall_filter`: system calls that a sealed program is refused, as a filter of seccomp
- `system_settings`: shows a sandbox what programs need of /etc, in one mount: each mount of a sandbox costs it a third
  of a millisecond
- `visible_files`: what the program of an entrant sees in its sandbox: what is its own, and nothing of the others or of
  the server
"""
