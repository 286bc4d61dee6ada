import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { rmcpPing, type IpmiObserver } from '../../../protocols/ipmi/index.ts';
import { ipmiSettings } from '../../../api/index.ts';
import { MemoryAccounts, MemoryMachine, MemorySettings } from '../../../protocols/testing/index.ts';
import { RequestTraces } from '../request-traces.ts';
import { CheckRounds } from './check-rounds.ts';
import { ProcessorShare } from './processor-share.ts';
import { IpmiService } from './ipmi-service.ts';

/** ms */
const PATIENCE = 5_000;
const services: IpmiService[] = [];

let users = new MemoryAccounts({ username: 'admin', password: 'secret' });
const accounts = { list: () => users.list(), add: () => Promise.reject(new Error()), change: () => Promise.resolve() };

const traces = new RequestTraces('p');

function aService(observer: IpmiObserver = {}, port = 0, share?: ProcessorShare): IpmiService {
  const service = new IpmiService({
    machine: new MemoryMachine(),
    accounts,
    settings: new MemorySettings(),
    addresses: ['127.0.0.1'],
    port,
    deviceInfo: { firmware: { major: 0, minor: 1 } },
    observer,
    random: randomBytes,
    now: () => performance.now(),
    clock: systemClock,
    checks: new CheckRounds(systemClock),
    logger: silentLogger,
    traces,
    ...(share === undefined ? {} : { share }),
  });
  services.push(service);
  return service;
}

const { advertisedPort, ...settings } = ipmiSettings({ virtualMachineRef: { name: 'a' } });
const wish = { bmcKey: undefined, settings, advertisedPort };

/** Stops after the BMC's proof (RAKP 2), as ipmitool does with a wrong password. */
async function fallSilentAfterProof(port: number): Promise<void> {
  const socket = createSocket('udp4');
  const exchange = async (payloadType: number, payload: Buffer): Promise<Buffer> => {
    const header = Buffer.from([0x06, 0, 0xff, 0x07, 0x06, payloadType, ...Buffer.alloc(8), payload.length, 0]);
    socket.send(Buffer.concat([header, payload]), port, '127.0.0.1');
    const [answer] = (await once(socket, 'message')) as [Buffer];
    return answer.subarray(header.length);
  };
  const suite17 = Buffer.from('000000080300000001000008040000000200000801000000', 'hex');
  const opened = await exchange(0x10, Buffer.concat([Buffer.from([1, 0, 0, 0, 1, 2, 3, 4]), suite17]));
  const managedId = opened.subarray(8, 12);
  const name = Buffer.from('admin');
  const role = Buffer.from([0x14, 0, 0, name.length]);
  await exchange(0x12, Buffer.concat([Buffer.from([2, 0, 0, 0]), managedId, Buffer.alloc(16), role, name]));
  socket.close();
}

afterEach(async () => {
  users = new MemoryAccounts({ username: 'admin', password: 'secret' });
  await Promise.all(services.splice(0).map((service) => service.close()));
});

/** A part that is used up for as long as the test lasts. */
function usedUp(): ProcessorShare {
  const clock = new FakeClock();
  let now = 0;
  const share = new ProcessorShare({ now: () => now, clock, contention: { note: () => undefined, users: 100 } });
  void share.run(
    'login',
    () => (now += 1_000),
    () => 0,
  );
  return share;
}

it('has packets of a BMC that has used its part of the processor up wait, and drops more than it keeps', async () => {
  const dropped: string[] = [];
  const service = aService({ packetDropped: (_peer, reason) => dropped.push(reason) }, 0, usedUp());
  await service.serve(wish);
  expect(await rmcpPing('127.0.0.1', service.port ?? 0, 100)).toBe(false);
  expect(dropped).toEqual([]);
  const socket = createSocket('udp4');
  for (let i = 0; i < 40; i += 1) socket.send(Buffer.from('0600ff060000000000', 'hex'), service.port ?? 0, '127.0.0.1');
  await expect.poll(() => dropped.length).toBeGreaterThan(0);
  socket.close();
  expect(new Set(dropped)).toEqual(new Set(['Overloaded']));
});

describe('the IPMI service', () => {
  it('serves nothing until requested', async () => {
    const service = aService();
    await service.serve(undefined);
    expect(service.port).toBeUndefined();
    expect(service.answers).toBe(false);
  });

  it('reports that it answers after a successful self-ping', async () => {
    const service = aService();
    await service.serve(wish);
    expect(await rmcpPing('127.0.0.1', service.port ?? 0, PATIENCE)).toBe(true);
    // A self-ping that was too slow is repeated after 5 s.
    await expect.poll(() => service.answers, { timeout: 9_000 }).toBe(true);
  });

  it('handles each request under an ID of its own', async () => {
    const ids: unknown[] = [];
    const service = aService({ commandCompleted: () => void ids.push(traces.current?.id) });
    await service.serve(wish);
    const socket = createSocket('udp4');
    // Get Channel Authentication Capabilities, as ipmitool sends it first.
    const packet = Buffer.from('0600ff07000000000000000000092018c88100380e0435', 'hex');
    for (let i = 0; i < 2; i += 1) {
      socket.send(packet, service.port ?? 0, '127.0.0.1');
      await once(socket, 'message');
    }
    socket.close();
    expect(ids).toEqual(['p-1', 'p-2']);
  });

  it('stops on request, and starts again', async () => {
    const service = aService();
    await service.serve(wish);
    const port = service.port ?? 0;
    await service.serve(undefined);
    expect(service.answers).toBe(false);
    expect(await rmcpPing('127.0.0.1', port, 200)).toBe(false);
    await service.serve(wish);
    expect(await rmcpPing('127.0.0.1', service.port ?? 0, PATIENCE)).toBe(true);
  });

  it('keeps its sockets when only the accounts change, and reopens them for other cipher suites', async () => {
    const service = aService();
    await service.serve(wish);
    const { port } = service;
    users = new MemoryAccounts({ username: 'admin', password: 'other' });
    await service.serve(wish);
    expect(service.port).toBe(port);
    await service.serve({ ...wish, settings: { ...wish.settings, cipherSuites: [17] } });
    expect(await rmcpPing('127.0.0.1', service.port ?? 0, PATIENCE)).toBe(true);
  });

  it('reports pending log-ins that it ends when it stops', async () => {
    const failed: string[] = [];
    const service = aService({ loginFailed: ({ user }, reason) => void failed.push(`${user}: ${reason}`) });
    await service.serve(wish);
    await fallSilentAfterProof(service.port ?? 0);
    expect(failed).toEqual([]);
    await service.serve(undefined);
    expect(failed).toEqual(['admin: WrongPassword']);
  });

  it('reports an address that it cannot bind', async () => {
    const one = aService();
    await one.serve(wish);
    const other = aService({}, one.port);
    await expect(other.serve(wish)).rejects.toThrow('EADDRINUSE');
    expect(other.port).toBeUndefined();
  });
});
