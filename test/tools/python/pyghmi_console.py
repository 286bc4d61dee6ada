"""Types on a machine's serial console with pyghmi's Console, and prints all that it says until a text has come.

pyghmi_console.py <host> <port> <username> <password> <type> <wait for>
"""

import codecs
import sys
import time

from pyghmi.ipmi.console import Console

PATIENCE = 10

host, port, username, password, typed, awaited = sys.argv[1:]
seen = b''


def hear(data):
    """Text of the machine; pyghmi's own news come as a dict."""
    global seen
    if isinstance(data, dict):
        if 'error' in data:
            sys.exit(f'pyghmi: {data["error"]}')
        return
    seen += data.encode() if isinstance(data, str) else data


console = Console(bmc=host, port=int(port), userid=username, password=password, iohandler=hear)
deadline = time.monotonic() + PATIENCE
has_typed = False
while awaited.encode() not in seen and time.monotonic() < deadline:
    console.ipmi_session.wait_for_rsp(timeout=0.1)
    if console.connected and not has_typed:
        console.send_data(codecs.escape_decode(typed)[0])
        has_typed = True
console.close()
print(seen.decode(errors='replace').replace('\r\n', '\n'))
if awaited.encode() not in seen:
    sys.exit(f'pyghmi_console: {awaited!r} did not come')
