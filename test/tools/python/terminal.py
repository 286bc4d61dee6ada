"""Runs a program on a terminal: waits for a text, types another, and so on, prints all that it said and ends as it does.

terminal.py <wait for> <type> [<wait for> <type> …] [<wait for>] -- <program> <argument> …
"""

import codecs
import os
import pty
import select
import sys
import time

PATIENCE = 10

end = sys.argv.index('--')
steps, command = sys.argv[1:end], sys.argv[end + 1:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)

seen = b''


def read(deadline):
    """Takes in what the program says; False when it has ended or the time is over."""
    global seen
    ready, _, _ = select.select([terminal], [], [], max(0, deadline - time.monotonic()))
    if not ready:
        return False
    try:
        data = os.read(terminal, 4096)
    except OSError:
        return False
    seen += data
    return data != b''


looked_at = 0
for index, step in enumerate(steps):
    text = codecs.escape_decode(step)[0]
    if index % 2 == 1:
        os.write(terminal, text)
        continue
    deadline = time.monotonic() + PATIENCE
    while text not in seen[looked_at:] and read(deadline):
        pass
    found = seen.find(text, looked_at)
    if found == -1:
        print(seen.decode(errors='replace'))
        print(f'terminal: {step!r} did not come', file=sys.stderr)
        os.kill(pid, 9)
        sys.exit(1)
    looked_at = found + len(text)

deadline = time.monotonic() + PATIENCE
while read(deadline):
    pass
if time.monotonic() > deadline:
    os.kill(pid, 9)
print(seen.decode(errors='replace').replace('\r\n', '\n'), end='')
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
