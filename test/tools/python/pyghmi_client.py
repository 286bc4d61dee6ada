"""Runs one expression on pyghmi's Command against a BMC, and prints what it gives as JSON. Lists are what iterators give."""

import json
import sys

from pyghmi.ipmi.command import Command


def plain(value):
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if hasattr(value, '__iter__'):
        return [plain(item) for item in value]
    return {name: plain(item) for name, item in vars(value).items() if isinstance(item, (bool, int, float, str, list))}


host, port, username, password, expression = sys.argv[1:]
command = Command(bmc=host, port=int(port), userid=username, password=password)
print(json.dumps(plain(eval('command.' + expression)), sort_keys=True))
command.ipmi_session.logout()
