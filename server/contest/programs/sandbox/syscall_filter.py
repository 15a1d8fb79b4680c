"""System calls that a sealed program may make, as a filter of seccomp that libseccomp compiles.

The list is the one of containers without capabilities: `profiles/seccomp/default.json` of https://github.com/moby/moby.
Calls are missing here that reach beyond the bounds of a sandbox: to leave the processor core, to take
memory that belongs to no process, to control another process, and to set clocks.
"""

import ctypes
import errno
import os
import tempfile
from functools import cache

CALLS = """
accept accept4 access alarm arch_prctl arm_fadvise64_64 arm_sync_file_range bind breakpoint brk cacheflush capget
capset chdir chmod chown chown32 clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep
clock_nanosleep_time64 close close_range connect copy_file_range creat dup dup2 dup3 epoll_create epoll_create1
epoll_ctl epoll_ctl_old epoll_pwait epoll_pwait2 epoll_wait epoll_wait_old eventfd eventfd2 execve execveat exit
exit_group faccessat faccessat2 fadvise64 fadvise64_64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchown32
fchownat fcntl fcntl64 fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat fstat64 fstatat64
fstatfs fstatfs64 fsync ftruncate ftruncate64 futex futex_time64 futex_waitv futimesat get_robust_list get_thread_area
getcpu getcwd getdents getdents64 getegid getegid32 geteuid geteuid32 getgid getgid32 getgroups getgroups32 getitimer
getpeername getpgid getpgrp getpid getppid getpriority getrandom getresgid getresgid32 getresuid getresuid32 getrlimit
getrusage getsid getsockname getsockopt gettid gettimeofday getuid getuid32 getxattr inotify_add_watch inotify_init
inotify_init1 inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents io_pgetevents_time64 io_setup io_submit
ioctl ioprio_get ioprio_set kill landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lchown32
lgetxattr link linkat listen listxattr llistxattr _llseek lremovexattr lseek lsetxattr lstat lstat64 madvise
membarrier mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap mmap2 mprotect mremap msync munlock
munlockall munmap nanosleep newfstatat _newselect open openat openat2 pause pidfd_open pidfd_send_signal pipe pipe2
pkey_alloc pkey_free pkey_mprotect poll ppoll ppoll_time64 prctl pread64 preadv preadv2 prlimit64 process_mrelease
pselect6 pselect6_time64 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv recv recvfrom recvmmsg
recvmmsg_time64 recvmsg remap_file_pages removexattr rename renameat renameat2 restart_syscall riscv_flush_icache
rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
rt_sigtimedwait_time64 rt_tgsigqueueinfo sched_get_priority_max sched_get_priority_min sched_getaffinity sched_getattr
sched_getparam sched_getscheduler sched_rr_get_interval sched_rr_get_interval_time64 sched_setattr sched_setparam
sched_setscheduler sched_yield seccomp select send sendfile sendfile64 sendmmsg sendmsg sendto set_robust_list
set_thread_area set_tid_address set_tls setfsgid setfsgid32 setfsuid setfsuid32 setgid setgid32 setgroups setgroups32
setitimer setpgid setpriority setregid setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32
setrlimit setsid setsockopt setuid setuid32 setxattr shutdown sigaltstack signalfd signalfd4 sigprocmask sigreturn
socketpair splice stat stat64 statfs statfs64 statx symlink symlinkat sync sync_file_range sync_file_range2 syncfs
sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime timer_gettime64 timer_settime
timer_settime64 timerfd_create timerfd_gettime timerfd_gettime64 timerfd_settime timerfd_settime64 times tkill
truncate truncate64 ugetrlimit umask uname unlink unlinkat utime utimensat utimensat_time64 utimes vfork vmsplice
wait4 waitid waitpid write writev
"""
"""Calls that are allowed with any arguments. Names that libseccomp does not have are skipped."""

NAMESPACES = 0x7E020000
"""Flags of ``clone`` that make namespaces; in a namespace of users a program could mount memory without end."""

AF_VSOCK = 40
"""Family of sockets that lead to the host of a virtual machine, from every network namespace."""

PERSONALITIES = (0, 0x20000, 0xFFFFFFFF)
"""Arguments of ``personality`` that are allowed: the usual ones, and to read it."""

MISSING = ("clone3", "io_uring_setup")
"""Calls that fail as on an older kernel: libraries then use another call. The other calls fail with EPERM."""

_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
"""Actions of seccomp; the number of the error is added to the second one."""

_NOT_EQUAL, _EQUAL, _MASKED_EQUAL = 1, 4, 7
"""Comparisons of libseccomp."""

_OPTIMIZE, _BINARY_TREE = 8, 2
"""Attribute of a filter of libseccomp, and its value for a search in logarithmic time."""

_JOIN_SESSION_KEYRING = 1
"""Operation of keyctl(2)."""


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("value", ctypes.c_uint64),
        ("masked", ctypes.c_uint64),
    )


@cache
def _library() -> ctypes.CDLL:
    """Return libseccomp; raises OSError where it is not installed."""
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    return library


@cache
def filter_program() -> bytes:
    """Return the filter for programs of this machine, as bubblewrap reads it; raises OSError without libseccomp."""
    library = _library()
    context = ctypes.c_void_p(library.seccomp_init(ctypes.c_uint32(_REFUSE | errno.EPERM)))
    try:
        library.seccomp_attr_set(context, _OPTIMIZE, _BINARY_TREE)  # before version 2.5 the search is a linear one

        def add(name: str, action: int, *comparisons: _Comparison) -> None:
            if (number := library.seccomp_syscall_resolve_name(name.encode())) != -1:
                array = (_Comparison * len(comparisons))(*comparisons)
                given = context, ctypes.c_uint32(action), number, ctypes.c_uint(len(comparisons)), array
                _done(library.seccomp_rule_add_array(*given))

        for name in CALLS.split():
            add(name, _ALLOW)
        for name in MISSING:
            add(name, _REFUSE | errno.ENOSYS)
        add("clone", _ALLOW, _Comparison(0, _MASKED_EQUAL, NAMESPACES, 0))
        add("socket", _ALLOW, _Comparison(0, _NOT_EQUAL, AF_VSOCK))
        for value in PERSONALITIES:
            add("personality", _ALLOW, _Comparison(0, _EQUAL, value))
        with tempfile.TemporaryFile() as file:
            _done(library.seccomp_export_bpf(context, file.fileno()))
            file.seek(0)
            return file.read()
    finally:
        library.seccomp_release(context)


def new_session_keyring() -> None:
    """Give this thread, and the processes that it starts, an empty session keyring where the kernel has keyrings."""
    keyctl = _library().seccomp_syscall_resolve_name(b"keyctl")
    ctypes.CDLL(None).syscall(keyctl, _JOIN_SESSION_KEYRING, None)


def _done(status: int) -> None:
    """Raise OSError where libseccomp returns an error."""
    if status:
        raise OSError(-status, f"libseccomp: {os.strerror(-status)}")


def filter_to_read() -> int:
    """Return a descriptor from which the filter of system calls can be read; raises OSError without libseccomp."""
    words = filter_program()
    reads, writes = os.pipe()
    os.write(writes, words)  # far less than a pipe holds
    os.close(writes)
    return reads
