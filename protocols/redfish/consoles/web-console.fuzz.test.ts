import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyEvent, setEncodings, updateRequest } from '../../rfb/messages.ts';
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

const bytes = fc.uint8Array({ maxLength: 200 });
/** A message in fragments, and a ping after the first. */
const message = (text: fc.Arbitrary<Uint8Array>) =>
  fc.record({
    isText: fc.boolean(),
    parts: fc.array(text, { minLength: 1, maxLength: 4 }),
    ping: fc.option(fc.uint8Array({ maxLength: 125 })),
    mask: fc.uint8Array({ minLength: 4, maxLength: 4 }),
  });
type Message = ReturnType<typeof message> extends fc.Arbitrary<infer T> ? T : never;

const rfb = fc.oneof(
  bytes,
  fc.tuple(fc.nat(0x1_00_00), fc.boolean()).map(([key, isDown]) => keyEvent(key, isDown)),
  fc.array(fc.integer({ min: -310, max: 20 }), { maxLength: 9 }).map(setEncodings),
  fc.boolean().map((isIncremental) => updateRequest({ width: 640, height: 480 }, isIncremental)),
  // A type of message, and anything.
  fc.tuple(fc.nat(7), bytes).map(([type, rest]) => Buffer.of(type, ...rest)),
);
/** The version, no security, and a session, shared or not (RFC 6143 §7.1 to §7.3). */
const beginning = fc
  .tuple(message(fc.constant(Buffer.from('RFB 003.008\n'))), fc.nat(1))
  .map(([first, isShared]) => ({ ...first, parts: [...first.parts.slice(0, 1), Buffer.of(1, isShared)] }));
const conversation = fc.oneof(
  fc.record({ path: fc.constant('/console0'), messages: fc.array(message(bytes), { maxLength: 6 }) }),
  fc.record({
    path: fc.constant('/kvm/0'),
    messages: fc.tuple(beginning, fc.array(message(rfb), { maxLength: 6 })).map(([first, rest]) => [first, ...rest]),
  }),
);
/** Frames of which nearly all break the protocol. */
const rubbish = fc.array(
  fc.tuple(fc.nat(255), fc.nat(255), bytes).map(([first, length, data]) => Buffer.of(first, length, ...data)),
  { maxLength: 6 },
);

/** The frames of a message (RFC 6455 §5.2). */
function framesOf({ isText, parts, ping, mask }: Message): Buffer[] {
  const [first, ...rest] = parts.map((part, index) => {
    const opcode = index > 0 ? 0 : isText ? 1 : 2;
    return frame(opcode | (index === parts.length - 1 ? 0x80 : 0), part, mask);
  });
  return [...(first ?? []), ...(ping === null ? [] : frame(0x89, ping, mask)), ...rest.flat()];
}

/** @param first FIN and opcode */
function frame(first: number, data: Uint8Array, mask: Uint8Array): Buffer[] {
  const isShort = data.length < 126;
  const length = isShort ? [data.length] : [126, data.length >> 8, data.length & 0xff];
  const head = Buffer.of(first, (length[0] ?? 0) | 0x80, ...length.slice(1), ...mask);
  return [head, Buffer.from(data.map((byte, index) => byte ^ (mask[index % 4] ?? 0)))];
}

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

  it('as frames end at most their own console, and reach the machine as far as they are valid', async () => {
    const bench = served.current;
    const witness = await bench.opened('operator');
    const { console: port } = bench.bmc.machine;
    const property = fc.asyncProperty(conversation, rubbish, async ({ path, messages }, after) => {
      const request = [
        `GET ${path} HTTP/1.1`,
        'Host: bmc',
        'Connection: Upgrade',
        'Upgrade: websocket',
        `Sec-WebSocket-Key: ${KEY}`,
        'Sec-WebSocket-Version: 13',
        `Authorization: ${authorization}`,
      ];
      const typed = port.typed.length;
      const bytes = [...messages.flatMap(framesOf), ...after];
      const answer = await exchange(bench.port, [`${request.join('\r\n')}\r\n\r\n`, ...bytes]);
      expect(answer).toMatch(/^HTTP\/1\.1 101 /);
      if (path !== '/console0') return;
      const meant = Buffer.concat(messages.flatMap(({ parts }) => parts)).toString('latin1');
      expect(port.typed.slice(typed, typed + meant.length)).toBe(meant);
      const pongs = messages.flatMap(({ ping }) => (ping === null ? [] : [Buffer.of(0x8a, ping.length), ping]));
      const [, received = ''] = /\r\n\r\n([^]*)/.exec(answer) ?? [];
      expect(received.startsWith(Buffer.concat(pongs).toString('latin1'))).toBe(true);
    });
    await fc.assert(property, { numRuns: 100 });
    expect(witness.webSocket.readyState).toBe(witness.webSocket.OPEN);
    expect(bench.failures).toEqual([]);
  });
});
