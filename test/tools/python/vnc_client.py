"""Compares the pictures of two VNC clients with a screenshot, and types.

vnc_client.py PORT SCREENSHOT.png SNAPSHOT.jpg LINE
vnc_client.py PORT --restart

The first connects asyncvnc to PORT, compares its picture and that of vncsnapshot with the screenshot, types LINE and
Enter, and waits for the picture to change. It prints JSON: the size, the number of pixels in which asyncvnc's picture
differs, and by how much a pixel of vncsnapshot's differs at most (0 to 255; JPEG is inexact).
The second presses Ctrl-Alt-Del.
"""

import asyncio
import json
import sys

import asyncvnc
import numpy
from PIL import Image

PATIENCE = 20


async def compare(port, screenshot, snapshot, line):
    wanted = numpy.asarray(Image.open(screenshot).convert('RGB')).astype(int)
    taken = numpy.asarray(Image.open(snapshot).convert('RGB')).astype(int)
    async with asyncvnc.connect('127.0.0.1', port) as client:
        seen = (await client.screenshot())[:, :, :3].astype(int)
        result = {
            'name': client.video.name,
            'size': [client.video.width, client.video.height],
            'different': int((seen != wanted).any(axis=2).sum()),
            'snapshot': [*taken.shape[1::-1]],
            'most': int(abs(taken - wanted).max()),
        }
        client.keyboard.write(line)
        client.keyboard.press('Return')
        client.video.refresh()
        while (client.video.as_rgba()[:, :, :3] == seen).all():
            await client.read()
        print(json.dumps(result))


async def restart(port):
    async with asyncvnc.connect('127.0.0.1', port) as client:
        client.keyboard.press('Ctrl', 'Alt', 'Del')
        # An answer to this has come after the keys.
        await client.screenshot()


port = int(sys.argv[1])
action = restart(port) if sys.argv[2] == '--restart' else compare(port, *sys.argv[2:])
asyncio.run(asyncio.wait_for(action, PATIENCE))
