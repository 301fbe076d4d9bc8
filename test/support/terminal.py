"""A terminal for one program: terminal.py <columns> <rows> <program> [argument]...

Stdin goes to the terminal as if typed, what the terminal shows goes to stdout. On stderr there is one line of JSON when the
program starts, {"terminal", "process"}, and one when it ends, {"code", "signal"}. The terminal lives until stdin ends, so that
the state in which the program left it can be looked at.
"""

import fcntl
import os
import select
import signal
import struct
import sys
import termios

# Neither `subprocess` nor `json`: loading them takes as long as the rest, and there is a terminal for each of many tests.
columns, rows = int(sys.argv[1]), int(sys.argv[2])
ours, theirs = os.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
# We lead the session, not the program: a terminal whose leader ends forgets its settings.
os.setsid()
fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
# Only the foreground may touch a terminal, and that is the program.
signal.signal(signal.SIGTTOU, signal.SIG_IGN)


def start(program):
    """Starts it in the foreground, with the terminal for all three streams."""
    child = os.fork()
    if child:
        return child
    try:
        os.setpgid(0, 0)
        os.tcsetpgrp(theirs, os.getpid())
        # Python ignores the last two.
        for ignored in (signal.SIGTTOU, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(ignored, signal.SIG_DFL)
        for stream in range(3):
            os.dup2(theirs, stream)
        os.execvp(program[0], program)
    finally:
        os._exit(127)


def tell(facts):
    os.write(2, facts.encode() + b"\n")


def told_end(child):
    """Whether it has ended, which is told."""
    ended, status = os.waitpid(child, os.WNOHANG)
    if not ended:
        return False
    code = os.waitstatus_to_exitcode(status)
    tell(f'{{"code": {code}, "signal": null}}' if code >= 0 else f'{{"code": null, "signal": "{signal.Signals(-code).name}"}}')
    return True


child = start(sys.argv[3:])
tell(f'{{"terminal": "{os.ttyname(theirs)}", "process": {child}}}')
typing = True
told = False
while True:
    sources = [ours] + ([0] if typing else [])
    ready, _, _ = select.select(sources, [], [], 0.02)
    if ours in ready:
        shown = os.read(ours, 65536)
        while shown:
            shown = shown[os.write(1, shown):]
    if 0 in ready:
        typed = os.read(0, 65536)
        if typed:
            os.write(ours, typed)
        else:
            typing = False
            if not told:
                os.kill(child, signal.SIGKILL)
    if ready:
        continue
    told = told or told_end(child)
    if told and not typing:
        break
