import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { attach, type Keyboard } from './attach.ts';

/** A terminal's input that remembers whether it is raw. */
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
/** The other end. */
let guest: WebSocket;
/** What the guest was told. */
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

/** A keyboard, and the attachment of it as a terminal's. */
function attached(isTTY = true): { keyboard: TestKeyboard; end: Promise<'left' | 'closed'> } {
  const keyboard = new TestKeyboard(isTTY);
  // What a terminal has beyond this is not used.
  return { keyboard, end: attach(client, keyboard as unknown as Keyboard, screen) };
}

describe('a terminal on a console', () => {
  it('is raw, and passes keys on as they are', async () => {
    const { keyboard } = attached();
    expect(keyboard.isRaw).toBe(true);
    keyboard.write('ls\x03\x04\r');
    await expect.poll(() => typed).toBe('ls\x03\x04\r');
  });

  it('shows what comes', async () => {
    attached();
    guest.send(Buffer.from('login: '));
    await expect.poll(() => String(screen.read() ?? '')).toBe('login: ');
  });

  it('leaves by Ctrl-], wherever that stands, and is then as it was', async () => {
    const { keyboard, end } = attached();
    keyboard.write('abc\x1ddef');
    expect(await end).toBe('left');
    expect(keyboard.isRaw).toBe(false);
    await once(guest, 'close');
    expect(typed).toBe('abc');
  });

  it('ends when the console does', async () => {
    const { keyboard, end } = attached();
    guest.terminate();
    expect(await end).toBe('closed');
    expect(keyboard.isRaw).toBe(false);
  });

  it('is read no faster than the screen takes', async () => {
    attached();
    for (let index = 0; index < 100; index += 1) guest.send(Buffer.alloc(16 * 1024));
    await expect.poll(() => client.isPaused).toBe(true);
    screen.resume();
    await expect.poll(() => client.isPaused).toBe(false);
  });
});

describe('what is no terminal', () => {
  it('is typed in, and its end ends nothing', async () => {
    const { keyboard, end } = attached(false);
    expect(keyboard.isRaw).toBe(false);
    keyboard.end('whoami\n');
    await expect.poll(() => typed).toBe('whoami\n');
    guest.send(Buffer.from('root'));
    await expect.poll(() => String(screen.read() ?? '')).toBe('root');
    guest.terminate();
    expect(await end).toBe('closed');
  });
});
