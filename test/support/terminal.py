"""A terminal for one program: terminal.py <columns> <rows> <program> [argument]...

Stdin goes to the terminal as if typed, what the terminal shows goes to stdout. On stderr there is one line of JSON when the
program starts, {"terminal", "process"}, and one when it ends, {"code", "signal"}. The terminal lives until stdin ends, so that
the state in which the program left it can be looked at.
"""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios

columns, rows = int(sys.argv[1]), int(sys.argv[2])
ours, theirs = pty.openpty()
fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
# We lead the session, not the program: a terminal whose leader ends forgets its settings.
os.setsid()
fcntl.ioctl(theirs, termios.TIOCSCTTY, 0)
# Only the foreground may touch a terminal, and that is the program.
signal.signal(signal.SIGTTOU, signal.SIG_IGN)


def take_foreground():
    os.setpgid(0, 0)
    os.tcsetpgrp(theirs, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)


def tell(**facts):
    sys.stderr.write(json.dumps(facts) + "\n")
    sys.stderr.flush()


child = subprocess.Popen(sys.argv[3:], stdin=theirs, stdout=theirs, stderr=theirs, preexec_fn=take_foreground)
tell(terminal=os.ttyname(theirs), process=child.pid)
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
            if child.poll() is None:
                child.kill()
    if ready:
        continue
    code = child.poll()
    if code is not None and not told:
        tell(code=code if code >= 0 else None, signal=signal.Signals(-code).name if code < 0 else None)
        told = True
    if told and not typing:
        break
