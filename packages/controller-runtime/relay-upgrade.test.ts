import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { relayUpgrade } from './relay-upgrade.ts';

const ASK = 'GET /x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n';

let back: Server;
let front: Server;
/** The port of `back`. */
let port: number;
let sockets: Duplex[];

beforeEach(async () => {
  sockets = [];
  back = createServer();
  front = createServer();
  front.on('upgrade', (incoming, socket, head) => {
    sockets.push(socket);
    const headers = { connection: 'Upgrade', upgrade: incoming.headers.upgrade };
    relayUpgrade(request({ port, path: incoming.url, headers, agent: false }), socket, head);
  });
  await Promise.all([once(back.listen(0, '127.0.0.1'), 'listening'), once(front.listen(0, '127.0.0.1'), 'listening')]);
  port = portOf(back);
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  back.close().closeAllConnections();
  front.close().closeAllConnections();
});

/** The address of a TCP server is never a string. */
function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/**
 * A client that has sent an upgrade request.
 *
 * @param extra data to send right after the request
 */
function ask(extra = ''): Socket {
  const socket = connect(portOf(front), '127.0.0.1');
  sockets.push(socket);
  socket.write(ASK + extra);
  return socket;
}

/** Accepts upgrades on the other server. */
function takeOver(handle: (socket: Duplex, head: Buffer) => void): void {
  back.on('upgrade', (_, socket, head) => {
    sockets.push(socket);
    socket.write(SWITCH);
    handle(socket, head);
  });
}

describe('a relayed upgrade', () => {
  it('relays data in both directions, including data sent with the request', async () => {
    takeOver((socket, head) => {
      socket.write(head);
      socket.pipe(socket);
    });
    const client = ask('early ');
    client.write('late');
    let heard = '';
    client.on('data', (chunk) => (heard += chunk.toString()));
    await expect.poll(() => heard).toBe(`${SWITCH}early late`);
  });

  it('delivers all data that the other server wrote before it closed', async () => {
    const much = 'x'.repeat(3_000_000);
    takeOver((socket) => {
      socket.end(much);
    });
    expect(await text(ask())).toBe(SWITCH + much);
  });

  it('closes the connection to the other server if the client disconnects', async () => {
    const closed = new Promise<void>((resolve) => {
      takeOver((socket) => {
        socket.resume().once('end', resolve);
      });
    });
    const client = ask();
    await once(client, 'data');
    client.destroy();
    await closed;
  });

  it('stops reading from the other server while the client does not read', async () => {
    let written = 0;
    takeOver((socket) => {
      const chunk = Buffer.alloc(64 * 1024);
      const fill = (): void => {
        while (written < 200_000_000) {
          written += chunk.length;
          if (!socket.write(chunk)) return void socket.once('drain', fill);
        }
      };
      fill();
    });
    const client = ask();
    await once(client, 'data');
    client.pause();
    await expect
      .poll(async () => {
        const before = written;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return written - before;
      })
      .toBe(0);
    expect(written).toBeLessThan(50_000_000);
  });
});

describe('an upgrade that the other server refuses', () => {
  it('returns the error of the other server', async () => {
    back.on('request', (_, response) => {
      response.writeHead(404, { 'content-type': 'application/json' }).write('{"code":');
      response.end('404}');
    });
    const answer = await text(ask());
    expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
    expect(answer).toContain('content-type: application/json\r\n');
    expect(answer).not.toMatch(/transfer-encoding/i);
    expect(answer).toMatch(/\r\n\r\n\{"code":404\}$/);
  });

  it('answers 503 if the other server answers with a status below 400', async () => {
    back.on('request', (_, response) => response.end('hello'));
    expect(await text(ask())).toMatch(/^HTTP\/1\.1 503 [^]*\r\n\r\ninvalid upgrade response: status code 200\n$/);
  });

  it('answers 503 if the other server is not reachable', async () => {
    back.close();
    expect(await text(ask())).toMatch(
      new RegExp(`^HTTP/1\\.1 503 [^]*error dialing backend: connect ECONNREFUSED 127\\.0\\.0\\.1:${port}\n$`),
    );
  });
});
