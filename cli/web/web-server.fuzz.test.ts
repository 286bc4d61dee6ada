import { once } from 'node:events';
import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebBench } from './testing/web-bench.ts';

let bench: WebBench;
let cookie: string;
beforeAll(async () => {
  bench = await WebBench.start();
  ({ cookie } = await bench.logIn());
});
afterAll(async () => {
  await bench.close();
});

const CONSOLES = ['/bmc/vms/web/console0', '/bmc/vms/web/kvm/0'];
const headerText = fc.stringMatching(/^[\x20-\x7e]{0,40}$/);
/** Mostly what is right, so that each check is the only one that refuses now and then. */
const right = (value: string, ...others: fc.Arbitrary<string>[]) =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(value) }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));
const path = fc.oneof(
  fc.constantFrom(...CONSOLES),
  fc.constantFrom(...CONSOLES),
  fc.webPath(),
  fc
    .tuple(
      fc.constantFrom(...CONSOLES, '/bmc/vms/web', '/bmc/vms/other/console0', '/bmc/../bmc/vms/web/console0'),
      fc.constantFrom('', '/', '?a', '/..', '%2f', '#', '/../redfish/v1/'),
    )
    .map((parts) => parts.join('')),
);

/** Sends a request and more on one connection. @returns what came until its end, or until as much came back */
async function exchange(request: string, more: Buffer): Promise<Buffer> {
  const socket = connect(bench.port, '127.0.0.1');
  let received = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => {
    received = Buffer.concat([received, data]);
    // A console ends when either side does.
    if (!received.toString('latin1').startsWith('HTTP/1.1 101')) socket.end();
    else if (received.includes('\r\n\r\n') && bodyOf(received).length >= more.length) socket.destroy();
  });
  await once(socket, 'connect');
  socket.write(request);
  socket.write(more);
  // `once` of node:events would reject at an error.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

function bodyOf(answer: Buffer): Buffer {
  const end = answer.indexOf('\r\n\r\n');
  return end === -1 ? Buffer.alloc(0) : answer.subarray(end + 4);
}

describe('any bytes', () => {
  it('as a request for a console reach a BMC only from its page with a session, and frames pass unchanged', async () => {
    const own = `127.0.0.1:${bench.port}`;
    const request = fc.record({
      path,
      method: right('GET', fc.constantFrom('POST', 'HEAD', 'CONNECT')),
      host: right(own, fc.constant('localhost:1'), headerText),
      origin: right(`http://${own}`, fc.constant('null'), fc.webUrl(), headerText),
      cookie: right(cookie, fc.constant('groundcrew-1=x'), headerText),
      upgrade: right('websocket', fc.constant('h2c'), headerText),
      key: right('dGhlIHNhbXBsZSBub25jZQ==', headerText),
      protocols: right('binary, groundcrew.token.SECRET', headerText),
    });
    const frames = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 });
    let [opened, count] = [0, 0];
    const property = fc.asyncProperty(request, frames, async (sent, data) => {
      const before = bench.requests.length;
      const mark = `n${++count}`;
      const lines = [
        `${sent.method} ${sent.path} HTTP/1.1`,
        `Host: ${sent.host}`,
        'Connection: Upgrade',
        `Upgrade: ${sent.upgrade}`,
        `Origin: ${sent.origin}`,
        `Cookie: ${sent.cookie}`,
        `Sec-WebSocket-Key: ${sent.key}`,
        'Sec-WebSocket-Version: 13',
        `Sec-WebSocket-Protocol: ${sent.protocols}, ${mark}`,
      ];
      const answer = await exchange(`${lines.join('\r\n')}\r\n\r\n`, Buffer.concat(data));
      const head = answer.toString('latin1');
      // node:http may close the connection before its answer to what is no HTTP.
      if (head !== '') expect(head).toMatch(/^HTTP\/1\.1 \d{3} /);
      const after = bench.requests.slice(before);
      for (const { headers } of after) expect([headers.cookie, headers.origin]).toEqual([undefined, undefined]);
      if (!head.startsWith('HTTP/1.1 101')) return;
      opened += 1;
      expect(CONSOLES).toContain(sent.path);
      expect(sent).toMatchObject({ method: 'GET', origin: `http://${sent.host}`, cookie });
      expect([own, `localhost:${bench.port}`]).toContain(sent.host);
      // A request of an earlier exchange can reach the BMC late, when its client has already left.
      const reached = after.filter(({ headers }) => headers['sec-websocket-protocol']?.endsWith(` ${mark}`));
      expect(reached.map(({ url }) => url)).toEqual([sent.path.replace('/bmc/vms/web', '')]);
      // The BMC of the bench sends back what it receives.
      expect(bodyOf(answer).equals(Buffer.concat(data))).toBe(true);
    });
    await fc.assert(property, { numRuns: 150 });
    expect(opened).toBeGreaterThan(0);
    expect(bench.log).not.toMatch(/a request failed|SECRET/);
    expect((await bench.upgrade(CONSOLES[0] ?? '', { cookie, origin: bench.origin })).status).toBe(101);
  });
});
