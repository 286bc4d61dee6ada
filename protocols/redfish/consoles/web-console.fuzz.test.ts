import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rest } from '../testing/loopback.ts';
import { basic, consolesForEach, PASSWORD } from '../testing/console-bench.ts';

const served = consolesForEach();
const { authorization } = basic('owner', PASSWORD);
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';

const headerText = fc.stringMatching(/^[\x20-\x7e]{0,40}$/);
const head = fc.record({
  path: fc.oneof(fc.constantFrom('/console0', '/kvm/0', '/kvm/0/', 'http://x/console0', '/console0?a'), fc.webPath()),
  method: fc.constantFrom('GET', 'GET', 'GET', 'POST', 'HEAD'),
  upgrade: fc.oneof(fc.constantFrom('websocket', 'WebSocket', 'h2c'), headerText),
  connection: fc.constantFrom('Upgrade', 'upgrade', 'keep-alive, Upgrade', 'close'),
  key: fc.oneof(fc.constant(KEY), headerText),
  version: fc.oneof(fc.constant('13'), headerText),
  protocols: fc.option(
    fc.oneof(
      fc.constant('binary'),
      fc.constant('binary, groundcrew.token.'),
      fc.constant('binary, binary'),
      headerText,
    ),
  ),
  origin: fc.option(fc.oneof(fc.webUrl(), headerText)),
  authorization: fc.option(fc.oneof(fc.constant(authorization), headerText)),
  token: fc.option(headerText),
  body: fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ maxLength: 64 })),
});

/** Sends bytes on one connection. @returns what came until its end */
async function exchange(port: number, bytes: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  for (const each of bytes) socket.write(each);
  socket.end();
  return await rest(socket);
}

describe('any bytes', () => {
  it('as a request for a WebSocket are answered or end the connection, and open no console without credentials', async () => {
    const bench = served.current;
    const property = fc.asyncProperty(head, async (sent) => {
      const lines = [
        `${sent.method} ${sent.path} HTTP/1.1`,
        'Host: bmc',
        `Connection: ${sent.connection}`,
        `Upgrade: ${sent.upgrade}`,
        `Sec-WebSocket-Key: ${sent.key}`,
        `Sec-WebSocket-Version: ${sent.version}`,
        ...(sent.protocols === null ? [] : [`Sec-WebSocket-Protocol: ${sent.protocols}`]),
        ...(sent.origin === null ? [] : [`Origin: ${sent.origin}`]),
        ...(sent.authorization === null ? [] : [`Authorization: ${sent.authorization}`]),
        ...(sent.token === null ? [] : [`X-Auth-Token: ${sent.token}`]),
      ];
      const answer = await exchange(bench.port, [`${lines.join('\r\n')}\r\n\r\n`, sent.body]);
      // What follows a refused upgrade is not HTTP, not even the end: node:http may close the connection before its answer.
      if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /);
      if (answer.startsWith('HTTP/1.1 101')) expect(sent.authorization).toBe(authorization);
    });
    await fc.assert(property, { numRuns: 150 });
    expect(bench.failures).toEqual([]);
  });

  it('as frames end at most their own console', async () => {
    const bench = served.current;
    const witness = await bench.opened('operator');
    const frame = fc.tuple(
      fc.integer({ min: 0, max: 255 }),
      fc.integer({ min: 0, max: 255 }),
      fc.uint8Array({ maxLength: 200 }),
    );
    const property = fc.asyncProperty(
      fc.constantFrom('/console0', '/kvm/0'),
      fc.array(frame, { maxLength: 8 }),
      async (path, frames) => {
        const request = [
          `GET ${path} HTTP/1.1`,
          'Host: bmc',
          'Connection: Upgrade',
          'Upgrade: websocket',
          `Sec-WebSocket-Key: ${KEY}`,
          'Sec-WebSocket-Version: 13',
          `Authorization: ${authorization}`,
        ];
        const bytes = frames.map(([first, length, data]) => Buffer.from([first, length, ...data]));
        const answer = await exchange(bench.port, [`${request.join('\r\n')}\r\n\r\n`, ...bytes]);
        expect(answer).toMatch(/^HTTP\/1\.1 101 /);
      },
    );
    await fc.assert(property, { numRuns: 100 });
    expect(witness.webSocket.readyState).toBe(witness.webSocket.OPEN);
    expect(bench.failures).toEqual([]);
  });
});
