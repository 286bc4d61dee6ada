import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../kube/index.ts';
import { silentLogger } from '../../../kube/testing/index.ts';
import { rmcpPing } from '../../../protocols/ipmi/index.ts';
import { MachineError, type Machine } from '../../../protocols/machine.ts';
import { IpmiService } from './ipmi-service.ts';

/** A machine that is not the matter here. */
const machine: Machine = {
  identity: () => ({ name: 'vms/a' }),
  powerState: () => 'Off',
  power: () => Promise.reject(new MachineError('NotSupported', 'not here')),
  bootOverride: () => undefined,
  setBootOverride: () => Promise.reject(new MachineError('NotSupported', 'not here')),
};

const services: IpmiService[] = [];

function aService(): IpmiService {
  const service = new IpmiService({
    machine,
    addresses: ['127.0.0.1'],
    port: 0,
    deviceInfo: { firmware: { major: 0, minor: 1 } },
    observer: {},
    random: randomBytes,
    now: () => performance.now(),
    clock: systemClock,
    logger: silentLogger,
  });
  services.push(service);
  return service;
}

const wish = { credentials: { username: 'admin', password: 'secret' }, cipherSuites: [17, 3] } as const;

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

describe('the IPMI service', () => {
  it('serves nothing until it is wished', async () => {
    const service = aService();
    await service.serve(undefined);
    expect(service.port).toBeUndefined();
    expect(service.answers).toBe(false);
  });

  it('answers, and says so when it has asked itself', async () => {
    const service = aService();
    await service.serve(wish);
    expect(await rmcpPing('127.0.0.1', service.port ?? 0, 1000)).toBe(true);
    await expect.poll(() => service.answers).toBe(true);
  });

  it('ends when it is wished no longer, and begins again', async () => {
    const service = aService();
    await service.serve(wish);
    const port = service.port ?? 0;
    await service.serve(undefined);
    expect(service.answers).toBe(false);
    expect(await rmcpPing('127.0.0.1', port, 200)).toBe(false);
    await service.serve(wish);
    expect(await rmcpPing('127.0.0.1', service.port ?? 0, 1000)).toBe(true);
  });

  it('keeps its sockets when only the credentials change, and opens others for other cipher suites', async () => {
    const service = aService();
    await service.serve(wish);
    const { port } = service;
    await service.serve({ ...wish, credentials: { username: 'admin', password: 'other' } });
    expect(service.port).toBe(port);
    await service.serve({ ...wish, cipherSuites: [17] });
    expect(await rmcpPing('127.0.0.1', service.port ?? 0, 1000)).toBe(true);
  });

  it('says which address it cannot have', async () => {
    const one = aService();
    await one.serve(wish);
    const other = new IpmiService({
      ...{ machine, addresses: ['127.0.0.1'], port: one.port ?? 0, observer: {}, random: randomBytes },
      ...{ deviceInfo: { firmware: { major: 0, minor: 1 } }, now: () => 0, clock: systemClock, logger: silentLogger },
    });
    await expect(other.serve(wish)).rejects.toThrow('EADDRINUSE');
    expect(other.port).toBeUndefined();
  });
});
