import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { attach, type Keyboard } from './attach.ts';

/** A terminal input that records whether it is in raw mode. */
class TestKeyboard extends PassThrough {
  isRaw = false;
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  setRawMode(isRaw: boolean): void {
    this.isRaw = isRaw;
  }

  unref(): void {
    this.emit('unref');
  }
}

let server: WebSocketServer;
let client: WebSocket;
/** The server side of the connection. */
let guest: WebSocket;
/** The text that the guest received. */
let typed: string;
let screen: PassThrough;

beforeEach(async () => {
  typed = '';
  screen = new PassThrough();
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  // The address of a TCP server is never a string.
  const { port } = server.address() as AddressInfo;
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  client = new WebSocket(`ws://127.0.0.1:${port}`);
  await once(client, 'open');
  [guest] = await connected;
  guest.on('message', (data: Buffer) => (typed += data.toString('latin1')));
});

afterEach(() => {
  guest.terminate();
  server.close();
});

/** A keyboard that is attached to the console. */
function attached(isTTY = true): { keyboard: TestKeyboard; end: Promise<'left' | 'closed'> } {
  const keyboard = new TestKeyboard(isTTY);
  // attach() uses no other members of a terminal.
  return { keyboard, end: attach(client, keyboard as unknown as Keyboard, screen) };
}

describe('attach with a terminal', () => {
  it('sets raw mode and sends keys unchanged', async () => {
    const { keyboard } = attached();
    expect(keyboard.isRaw).toBe(true);
    keyboard.write('ls\x03\x04\r');
    await expect.poll(() => typed).toBe('ls\x03\x04\r');
  });

  it('shows output', async () => {
    attached();
    guest.send(Buffer.from('login: '));
    await expect.poll(() => String(screen.read() ?? '')).toBe('login: ');
  });

  it('ends at Ctrl-] anywhere in the input and restores the terminal', async () => {
    const { keyboard, end } = attached();
    keyboard.write('abc\x1ddef');
    expect(await end).toBe('left');
    expect(keyboard.isRaw).toBe(false);
    await once(guest, 'close');
    expect(typed).toBe('abc');
  });

  it('ends when the console ends', async () => {
    const { keyboard, end } = attached();
    guest.terminate();
    expect(await end).toBe('closed');
    expect(keyboard.isRaw).toBe(false);
  });

  it('reads no faster than the screen writes', async () => {
    attached();
    for (let index = 0; index < 100; index += 1) guest.send(Buffer.alloc(16 * 1024));
    await expect.poll(() => client.isPaused).toBe(true);
    screen.resume();
    await expect.poll(() => client.isPaused).toBe(false);
  });
});

describe('attach without a terminal', () => {
  it('sends the input, and the end of the input does not end the console', async () => {
    const { keyboard, end } = attached(false);
    expect(keyboard.isRaw).toBe(false);
    keyboard.end('whoami\n');
    await expect.poll(() => typed).toBe('whoami\n');
    guest.send(Buffer.from('root'));
    await expect.poll(() => String(screen.read() ?? '')).toBe('root');
    guest.terminate();
    expect(await end).toBe('closed');
  });

  it('ends with the console if the input is a file, as /dev/null', async () => {
    const file = createReadStream('/dev/null');
    const end = attach(client, file as unknown as Keyboard, screen);
    guest.terminate();
    expect(await end).toBe('closed');
    file.destroy();
  });
});
