"""The sandbox around a program: what it may see, use and call, and on which cores.

- `bubblewrap`: the sandbox around a program, as a command of bubblewrap
- `cgroups`: control groups around sealed programs (cgroup v2), where this process may make them: the kernel holds the
  bounds
- `choice`: whether programs are sealed, by what the contest file says and by what the machine can do
- `cores`: the processor cores that programs get, each one of its own, and those that the server keeps to itself
  meanwhile
- `process`: starting a program in a sandbox, and ending it with all that it has started: when its first process ends,
  all do
- `resource_usage`: what sealed programs use, as the system tells it, and the end of those that use more than they may
- `spawning`: starting the process of a program, sealed or not, on its core
- `syscall_filter`: system calls that a sealed program is refused, as a filter of seccomp
- `system_settings`: shows a sandbox what programs need of /etc, in one mount: each mount of a sandbox costs it a
  third of a millisecond
- `visible_files`: what the program of an entrant sees in its sandbox: what is its own, and nothing of the others or
  of the server
"""
