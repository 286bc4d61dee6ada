import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { DhcpServer, LoopbackEndpoint, type Lease } from '../../protocols/dhcp/index.ts';
import type { DhcpClientFlags } from './command.ts';
import { runDhcpClient } from './run.ts';

const MAC = 0x525400123456;
const SERVER = 0x0a000002;
const LEASE: Lease = {
  macAddress: MAC,
  ipAddress: 0x0a000064,
  hostname: 'vm-1',
  settings: {
    pool: 'pool',
    serverAddress: SERVER,
    siblings: [SERVER],
    subnet: 0x0a000000,
    prefix: 24,
    router: 0x0a000001,
    dns: [0x0a000003],
    domainSearch: [],
    ntp: [],
    leaseTime: 3600,
    routes: [],
    options: [],
    netboot: { nextServer: 0x0a000004, bootFiles: { bios: 'undionly.kpxe', ipxe: 'http://boot/script' } },
  },
};
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function serve(): Promise<number> {
  const store = { find: (mac: number) => (mac === MAC ? LEASE : undefined), isFresh: true };
  const endpoint = new LoopbackEndpoint({
    server: new DhcpServer({ store }),
    now: () => performance.now(),
    onError: () => undefined,
    address: '127.0.0.1',
    port: 0,
  });
  closing.push(() => endpoint.close());
  await endpoint.start();
  return endpoint.port;
}

/** Runs the command as a relay agent of the network, against a server with one lease. */
async function ask(given: Partial<DhcpClientFlags> = {}): Promise<{ code: number; out: string; err: string }> {
  const server = given.server ?? { host: '127.0.0.1', port: await serve() };
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const flags: DhcpClientFlags = {
    mac: MAC,
    relay: 0x0a0000fe,
    ipxe: false,
    renew: false,
    release: false,
    timeout: 5_000,
    output: 'text',
    ...given,
    server,
  };
  const dependencies = { program: '', env: {}, stdin: process.stdin, stdout, stderr };
  const code = await runDhcpClient(flags, dependencies);
  stdout.end();
  stderr.end();
  return { code, out: await text(stdout), err: await text(stderr) };
}

/** Message lines without their times. */
function messages(out: string): string[] {
  return out.split('\n').flatMap((line) => /ms {2}((?:->|<-) .*)/.exec(line)?.slice(1) ?? []);
}

describe('groundcrew dhcp-client', () => {
  it('prints each message and the options of the lease by name', async () => {
    const { code, out, err } = await ask();
    expect([code, err]).toEqual([0, '']);
    expect(messages(out)).toEqual([
      '-> DISCOVER to 127.0.0.1',
      '<- OFFER    10.0.0.100 from 10.0.0.2',
      '-> REQUEST  10.0.0.100 to 127.0.0.1',
      '<- ACK      10.0.0.100 from 10.0.0.2',
    ]);
    expect(out).toMatch(/^10\.0\.0\.100 from 10\.0\.0\.2 in \d+\.\d ms$/m);
    expect(out).toMatch(/^OPTION +VALUE$/m);
    expect(out).toMatch(/^routers \(3\) +10\.0\.0\.1$/m);
    expect(out).toMatch(/^host-name \(12\) +vm-1$/m);
    expect(out).not.toMatch(/message-type|siaddr/);
  });

  it('renews and releases the lease on request', async () => {
    const { code, out } = await ask({ renew: true, release: true });
    expect(code).toBe(0);
    expect(messages(out).slice(4)).toEqual([
      '-> REQUEST  10.0.0.100 to 127.0.0.1',
      '<- ACK      10.0.0.100 from 10.0.0.2',
      '-> RELEASE  10.0.0.100 to 127.0.0.1',
    ]);
  });

  it('shows the boot file for firmware', async () => {
    const { out } = await ask({ arch: 'bios' });
    expect(out).toMatch(/^next-server \(siaddr\) +10\.0\.0\.4$/m);
    expect(out).toMatch(/^boot-file-name \(67\) +undionly\.kpxe$/m);
    const ipxe = await ask({ ipxe: true });
    expect(ipxe.out).toMatch(/http:\/\/boot\/script$/m);
  });

  it('shows that an address is refused and another one is leased', async () => {
    const { code, out } = await ask({ request: 0x0a000009 });
    expect(code).toBe(0);
    expect(messages(out).slice(0, 2)).toEqual(['-> REQUEST  10.0.0.9 to 127.0.0.1', '<- NAK      from 10.0.0.2']);
    expect(out).toContain('10.0.0.100 from 10.0.0.2 in');
  });

  it('prints JSON with -o json', async () => {
    const { out } = await ask({ output: 'json', arch: 'bios' });
    expect(JSON.parse(out)).toMatchObject({
      address: '10.0.0.100',
      server: '10.0.0.2',
      milliseconds: expect.any(Number) as number,
      nextServer: '10.0.0.4',
      bootFile: 'undionly.kpxe',
      messages: [{ way: 'sent', type: 'DISCOVER' }, { type: 'OFFER', server: '10.0.0.2' }, {}, { type: 'ACK' }],
      options: expect.arrayContaining([{ code: 12, name: 'host-name', value: 'vm-1' }]) as unknown,
    });
  });

  it('exits with 1 and advice if no server answers', async () => {
    const { code, out, err } = await ask({ mac: MAC + 1, timeout: 50 });
    expect(code).toBe(1);
    expect(messages(out)).toEqual(['-> DISCOVER to 127.0.0.1']);
    expect(err).toContain('No server answered within 50 ms. Check');
    expect(err).toContain('kubectl get ipleases');
  });

  it('reports that the address in --bind is not on this machine', async () => {
    expect(await ask({ bind: '192.0.2.1' })).toEqual({
      code: 1,
      out: '',
      err: 'This machine does not have the address of --bind.\n',
    });
  });

  it('reports the system error for a datagram', async () => {
    // A documentation address, sent from the loopback address, which has no route to it.
    const { code, err } = await ask({ bind: '127.0.0.1', server: { host: '192.0.2.1', port: 9 }, timeout: 50 });
    expect(code).toBe(1);
    expect(err).toMatch(/Nothing could be sent: .*EINVAL/);
  });
});
