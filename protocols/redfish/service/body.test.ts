import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeBmc, type Listening, listening } from '../testing/index.ts';
import { createRedfishService, type RedfishService } from './redfish-service.ts';

/** POST to Sessions, which needs no authentication. */
const HEAD = 'POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nHost: bmc\r\n';

let service: RedfishService;
let server: Listening;
let socket: Socket;

beforeEach(async () => {
  service = createRedfishService(new FakeBmc().options);
  server = await listening(createServer(service.handler));
  socket = connect(server.port, '127.0.0.1');
  // The server closes the connection of a client that continues to send.
  socket.on('error', () => undefined);
});

afterEach(async () => {
  socket.destroy();
  service.close();
  await server[Symbol.asyncDispose]();
});

describe('a body above the limit', () => {
  it('is refused by its Content-Length before it arrives', async () => {
    socket.write(`${HEAD}Content-Length: 10000000000\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 [^]*PayloadTooLarge/);
  });

  it('is refused at the limit if it has no Content-Length', async () => {
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    for (let sent = 0; sent < 32; sent += 1) socket.write(`ffff\r\n${' '.repeat(0xffff)}\r\n`);
    // Send no more: unread data at close would discard the answer.
    socket.write(`64\r\n${' '.repeat(0x64)}\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 [^]*PayloadTooLarge/);
  });
});
