"""What holds for all tests."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # a shell lets what it runs in the background ignore Ctrl-C, and what is started here would inherit that
    signal.signal(signal.SIGINT, signal.default_int_handler)
