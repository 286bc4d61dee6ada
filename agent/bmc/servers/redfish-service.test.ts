import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { type AddressInfo, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Secret, systemClock } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { RequestTraces } from '../request-traces.ts';
import { CheckRounds } from './check-rounds.ts';
import { ProcessorShare } from './processor-share.ts';
import { selfSigned } from '../../../protocols/redfish/testing/index.ts';
import { MemoryAccounts, MemoryMachine, MemoryRedfishState } from '../../../protocols/testing/index.ts';
import {
  type Certificate,
  certificateIn,
  certificatesIn,
  RedfishService,
  type RedfishServiceOptions,
} from './redfish-service.ts';

const services: RedfishService[] = [];
let one: Certificate;
let two: Certificate;

beforeAll(async () => {
  [one, two] = [await selfSigned('one'), await selfSigned('two')];
});
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

interface Bench {
  service: RedfishService;
  told: string[];
  clock: { now: number };
}

function aService(options: Partial<RedfishServiceOptions> = {}): Bench {
  const told: string[] = [];
  const clock = { now: 0 };
  const ignore = (): void => undefined;
  const service = new RedfishService({
    machine: new MemoryMachine(),
    accounts: new MemoryAccounts({ username: 'admin', password: 'secret' }),
    state: new MemoryRedfishState(),
    serviceUuid: randomUUID(),
    network: () => ({ hostName: 'a-virtbmc', addresses: [], httpsPort: 443 }),
    version: '1.2.3',
    certificateOwner: { request: () => Promise.resolve(''), replace: () => Promise.resolve() },
    switchServices: () => Promise.resolve(),
    legacyProperties: () => true,
    watchdog: () => undefined,
    lockout: () => ({ threshold: 5, seconds: 60 }),
    restart: ignore,
    listeners: {
      allowedHosts: () => [],
      allowedHostsSetting: '',
      trustAdvice: '',
      allowsLoopback: false,
      resolve: () => Promise.resolve([]),
    },
    observer: {
      loggedIn: ignore,
      loginFailed: ignore,
      consoleChanged: () => undefined,
      answered: ignore,
      audited: ignore,
      undelivered: ignore,
      unsubscribed: ignore,
      failed: ignore,
    },
    addresses: ['127.0.0.1'],
    port: 0,
    httpPort: 0,
    report: (_type, reason, message) => void told.push(`${reason}: ${message}`),
    random: randomBytes,
    now: () => clock.now,
    clock: systemClock,
    checks: new CheckRounds(systemClock),
    logger: silentLogger,
    traces: new RequestTraces('p'),
    ...options,
  });
  services.push(service);
  return { service, told, clock };
}

function wish(certificate: Certificate | undefined, http = false) {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const data = certificate && { 'tls.crt': base64(certificate.cert), 'tls.key': base64(certificate.key) };
  const metadata = { name: 'a-tls' };
  const object: Secret | undefined = data && { apiVersion: 'v1', kind: 'Secret', metadata, data };
  return { certificate: { object }, http };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function shownBy({ port }: RedfishService): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: port ?? 0, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

describe('Redfish of one machine', () => {
  it('is served when there is a certificate, and is ready after a successful self-check', async () => {
    const { service } = aService();
    expect(service.problem).toBeUndefined();
    await service.serve(wish(undefined));
    expect(service.problem).toBe('there is no certificate for Redfish yet');
    await service.serve(wish(one));
    await vi.waitFor(() => {
      expect(service.problem).toBeUndefined();
    });
    expect(await shownBy(service)).toBe('one');
  });

  it('answers pending requests while draining, ends streams, and refuses new requests', async () => {
    const machine = new MemoryMachine();
    const gate = Promise.withResolvers<undefined>();
    machine.gate = gate.promise.then(() => undefined);
    const power = vi.spyOn(machine, 'power');
    const { service } = aService({ machine });
    await service.serve(wish(one));
    const ask = async (method: string, path: string, body = ''): Promise<IncomingMessage> => {
      const options = { host: '127.0.0.1', port: service.port, path: `/redfish/v1/${path}`, method, agent: false };
      const headers = { 'content-type': 'application/json' };
      const asked = request({ ...options, headers, auth: 'admin:secret', rejectUnauthorized: false }).end(body);
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      return response;
    };
    const told = text(await ask('GET', 'EventService/SSE'));
    const answer = ask('POST', 'Systems/1/Actions/ComputerSystem.Reset', '{"ResetType":"ForceOff"}');
    await vi.waitFor(() => {
      expect(power).toHaveBeenCalled();
    });
    service.drain();
    expect(await told).toContain('retry: 2000');
    expect(service.problem).toBeUndefined();
    await service.serve(wish(two, true));
    await vi.waitFor(() => {
      expect(service.connectionCount).toBe(1);
    });
    await expect(shownBy(service)).rejects.toThrow();
    gate.resolve(undefined);
    const { statusCode, headers } = await answer;
    expect({ statusCode, connection: headers.connection }).toEqual({ statusCode: 204, connection: 'close' });
    await vi.waitFor(() => {
      expect(service.connectionCount).toBe(0);
    });
  });

  it('waits for a certificate only for a limited time', async () => {
    const { service, clock } = aService();
    await service.serve(wish(undefined));
    clock.now = 15_000;
    expect(service.problem).toBeUndefined();
    expect(service.port).toBeUndefined();
  });

  it('keeps its certificate if the next one is unusable or missing, and reports that once', async () => {
    const { service, told } = aService();
    await service.serve(wish(one));
    const unfit = { cert: two.cert, key: one.key };
    await service.serve(wish(unfit));
    await service.serve(wish(unfit));
    expect(told).toEqual([expect.stringMatching(/^CertificateUnreadable: .+; the previous one is still used$/)]);
    await service.serve(wish(undefined));
    expect(await shownBy(service)).toBe('one');
    await service.serve(wish(unfit, true));
    expect(await shownBy(service)).toBe('one');
  });

  it('is not served with an unusable first certificate, but with the next one', async () => {
    const { service, told } = aService();
    const unfit = { cert: 'nonsense', key: one.key };
    await service.serve(wish(unfit));
    await service.serve(wish(unfit));
    expect(service.port).toBeUndefined();
    expect(told).toEqual([expect.stringMatching(/; Redfish does not answer$/)]);
    await service.serve(wish(one));
    expect(await shownBy(service)).toBe('one');
  });

  it('leaves nothing open if it is closed while starting, and does not start afterwards', async () => {
    const port = await freePort();
    const { service } = aService({ port });
    const begun = [service.serve(wish(one)), service.serve(wish(two, true))];
    await service.close();
    await Promise.all(begun);
    await service.serve(wish(one));
    expect([service.port, service.problem]).toEqual([undefined, undefined]);
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    other.close();
  });

  it('is closed if `close` is called during the start', async () => {
    const port = await freePort();
    const { service } = aService({ port });
    const begun = service.serve(wish(one));
    await vi.waitFor(() => {
      expect(service.problem).toBeDefined();
    });
    await Promise.all([service.close(), begun]);
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    other.close();
  });

  it('accepts no connections if it is drained while starting', async () => {
    const { service } = aService();
    const begun = service.serve(wish(one));
    service.drain();
    await begun;
    expect(service.port).toBeUndefined();
  });

  it('stops when it is disabled, and tells those who have a console open', async () => {
    const { service } = aService({ webConsole: { isEnabled: () => true } });
    await service.serve(wish(one));
    const webSocket = new WebSocket(`wss://127.0.0.1:${service.port}/console0`, {
      auth: 'admin:secret',
      rejectUnauthorized: false,
    });
    await once(webSocket, 'open');
    const closed = once(webSocket, 'close') as Promise<[code: number]>;
    await service.serve(undefined);
    expect((await closed)[0]).toBe(1012);
    expect(service.port).toBeUndefined();
    expect(service.problem).toBeUndefined();
    await service.serve(wish(one));
    expect(await shownBy(service)).toBe('one');
  });

  it('serves plain HTTP while that is enabled', async () => {
    const httpPort = await freePort();
    const { service } = aService({ httpPort });
    const plain = async (): Promise<number> =>
      await fetch(`http://127.0.0.1:${httpPort}/redfish`).then(
        ({ status }) => status,
        () => 0,
      );
    await service.serve(wish(one));
    expect(await plain()).toBe(0);
    const { port } = service;
    const secure = connect({ host: '127.0.0.1', port: port ?? 0, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    await service.serve(wish(one, true));
    expect(await plain()).toBe(200);
    expect(await shownBy(service)).toBe('one');
    await service.serve(wish(one));
    expect(await plain()).toBe(0);
    // HTTPS continues on the same port.
    secure.write('GET /redfish HTTP/1.1\r\nHost: bmc\r\n\r\n');
    const [answer] = (await once(secure, 'data')) as [Buffer];
    expect([service.port, answer.toString()]).toEqual([port, expect.stringContaining('HTTP/1.1 200 OK')]);
    secure.destroy();
  });

  it('continues with HTTPS if the port of plain HTTP is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { service } = aService({ httpPort: (taken.address() as AddressInfo).port });
    await service.serve(wish(one));
    await expect(service.serve(wish(one, true))).rejects.toThrow('EADDRINUSE');
    expect(await shownBy(service)).toBe('one');
    taken.close();
    await once(taken, 'close');
    await service.serve(wish(one, true));
  });

  it('reports that its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { service } = aService({ port });
    await expect(service.serve(wish(one))).rejects.toThrow('EADDRINUSE');
    taken.close();
    await once(taken, 'close');
    await service.serve(wish(one));
    expect(service.port).toBe(port);
  });
});

const secret = (data: Record<string, string>): Secret => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'a-tls' },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
});

it('reads a certificate and its key', () => {
  expect(certificateIn(secret({ 'tls.crt': 'C', 'tls.key': 'K', 'ca.crt': 'A' }))).toEqual({ cert: 'C', key: 'K' });
});

it.each([undefined, secret({}), secret({ 'tls.crt': 'C' }), secret({ 'tls.crt': '', 'tls.key': 'K' })])(
  'is undefined if the certificate or the key is missing',
  (given) => {
    expect(certificateIn(given)).toBeUndefined();
  },
);

it('splits a chain into certificates', () => {
  const pem = (text: string) => `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----`;
  expect(certificatesIn(`${pem('AAAA')}\n${pem('BBBB')}\n`)).toEqual([pem('AAAA'), pem('BBBB')]);
  expect(certificatesIn('')).toEqual([]);
});

/** The part of the processor that one of a hundred BMCs has. `spend` uses a second of it. */
function contendedShare(clock: FakeClock): { share: ProcessorShare; spend: () => void } {
  let spent = 0;
  const now = (): number => clock.monotonic() + spent;
  const share = new ProcessorShare({ now, clock, contention: { note: () => undefined, users: 100 } });
  const work = (): number => (spent += 1_000);
  return { share, spend: () => void share.run('request', work, () => 0) };
}

it('lets what is typed at a console wait for the part of the processor of its BMC', async () => {
  const clock = new FakeClock();
  const { share, spend } = contendedShare(clock);
  const lanes = vi.spyOn(share, 'run').mock.calls;
  const machine = new MemoryMachine();
  const { service } = aService({ share, machine, webConsole: { isEnabled: () => true } });
  await service.serve(wish(one));
  const url = `wss://127.0.0.1:${service.port}/console0`;
  const webSocket = new WebSocket(url, { auth: 'admin:secret', rejectUnauthorized: false });
  await once(webSocket, 'open');
  await vi.waitFor(() => {
    expect(machine.console.isOpen).toBe(true);
  });
  spend();
  webSocket.send('x');
  await vi.waitFor(() => {
    expect(lanes.map(([lane]) => lane)).toContain('packet');
  });
  expect(machine.console.typed).toBe('');
  await clock.advance(60_000);
  await vi.waitFor(() => {
    expect(machine.console.typed).toBe('x');
  });
});

it('answers 503 to a request that has waited too long for the part of the processor of its BMC', async () => {
  const clock = new FakeClock();
  const { share, spend } = contendedShare(clock);
  const { service } = aService({ share });
  await service.serve(wish(one));
  await vi.waitFor(() => {
    expect(service.problem).toBeUndefined();
  });
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const ask = async (): Promise<IncomingMessage> => {
    const asked = request({ host: '127.0.0.1', port: service.port, path: '/redfish', agent }).end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    await text(response);
    return response;
  };
  expect((await ask()).statusCode).toBe(200);
  spend();
  const turns = setInterval(() => void clock.advance(200), 1);
  const { statusCode, headers } = await ask();
  clearInterval(turns);
  agent.destroy();
  expect([statusCode, headers['retry-after']]).toEqual([503, '1']);
});
