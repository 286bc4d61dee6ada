"""pyghmi's own fakebmc, on 127.0.0.1 alone: its command listens on every address, with a password known to all."""

import sys

from pyghmi.cmd.fakebmc import FakeBmc
from pyghmi.ipmi import bmc


class LoopbackBmc(FakeBmc):
    def __init__(self, authdata, port):
        bmc.Bmc.__init__(self, authdata, port, address='127.0.0.1')
        self.powerstate = 'off'
        self.bootdevice = 'default'


port, username, password = sys.argv[1:]
LoopbackBmc({username: password}, int(port)).listen()
