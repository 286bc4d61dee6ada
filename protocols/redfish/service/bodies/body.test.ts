import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRedfishService, type RedfishService } from '../redfish-service.ts';
import { FakeBmc } from '../../testing/index.ts';

/** POST to Sessions, to which nobody has to be logged in. */
const HEAD = 'POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nHost: bmc\r\n';

let service: RedfishService;
let server: Server;
let socket: Socket;

beforeEach(async () => {
  service = createRedfishService(new FakeBmc().options);
  server = createServer(service.handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // Who goes on sending has the connection closed.
  socket.on('error', () => undefined);
});

afterEach(async () => {
  socket.destroy();
  service.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

describe('a body that is much too long', () => {
  it('is refused by its length, before it comes', async () => {
    socket.write(`${HEAD}Content-Length: 10000000000\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 [^]*PayloadTooLarge/);
  });

  it('is refused when so much of it has come, where it does not say its length', async () => {
    socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    for (let sent = 0; sent < 32; sent += 1) socket.write(`ffff\r\n${' '.repeat(0xffff)}\r\n`);
    // No more than that is on its way when the connection is closed: what is not read then takes the answer with it.
    socket.write(`64\r\n${' '.repeat(0x64)}\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 413 [^]*PayloadTooLarge/);
  });
});
