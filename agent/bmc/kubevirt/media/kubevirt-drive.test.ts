import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubeClient, systemClock, type TransportRequest } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import type { MediaImage, Requester } from '../../../../protocols/machine/index.ts';
import { SerialQueue } from '../../../../protocols/serial-queue.ts';
import { MemoryEventLog } from '../../../../protocols/testing/index.ts';
import { BmcStatus } from '../../objects/bmc-status.ts';
import { aBmc, aVm } from '../../testing/builders.ts';
import { FakeApi } from '../../testing/fake-api.ts';
import { KubeVirtDrive } from './kubevirt-drive.ts';

const requester: Requester = { protocol: 'Redfish', user: 'admin', address: '10.0.0.1' };

let server: Server;

beforeAll(async () => {
  server = createServer((_request, response) => response.writeHead(200, { 'content-length': 7 }).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
});

function anImage(): MediaImage {
  const { port } = server.address() as AddressInfo; // of TCP
  return { image: `http://127.0.0.1:${port}/a.iso`, isInserted: true, isWriteProtected: true };
}

function aDrive() {
  const api = new FakeApi(aBmc(), aVm());
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-agent-bmc' });
  const told: string[] = [];
  const unwatched = { object: undefined, isFresh: true, refresh: () => Promise.resolve(), stop: () => undefined };
  const drive = new KubeVirtDrive('Cd', {
    ...{ bmc: api.bmc, client, queue: new SerialQueue(), log: new MemoryEventLog() },
    ...{ clock: systemClock, logger: silentLogger, signal: new AbortController().signal, wake: () => undefined },
    machine: { namespace: 'vms', name: 'a' },
    status: new BmcStatus({ client, bmc: { namespace: 'vms', name: 'a-bmc' }, cached: () => api.bmc }),
    watches: { watch: () => ({ ...unwatched, hasSettled: true }) },
    hosts: { allowsLoopback: true, resolve: () => Promise.reject(new Error('no names here')) },
    random: (size) => Buffer.alloc(size),
    report: (_type, reason) => void told.push(reason),
    powerCycle: () => Promise.reject(new Error('no machine waits here')),
  });
  const isStatusWrite = ({ method, path }: TransportRequest) => method === 'PATCH' && path.includes('bmcs/');
  /** The answer to the next write of the BMC's status is lost. */
  const loseNext = (isWritten: boolean): void => {
    api.between = (request, serve) => {
      if (!isStatusWrite(request)) return serve();
      if (isWritten) serve();
      api.between = (_, again) => again();
      throw new Error('ECONNRESET');
    };
  };
  const settle = async () => {
    await drive.settle({ vm: api.vm, vmi: undefined });
    return api.bmc.status?.virtualMedia?.[0]?.phase;
  };
  return { drive, told, loseNext, settle };
}

const UNKNOWN = {
  code: 'Unavailable',
  mayBeDone: true,
  message: 'the Kubernetes API does not answer; it may have been done: read the drive before you try again',
};

describe('a request to a drive whose record gets no answer is not reported as refused, because it may be done later', () => {
  it.each([
    ['was written', true, 'Importing'],
    ['was not written', false, undefined],
  ])('insertion that %s', async (_, isWritten, phase) => {
    const { drive, told, loseNext, settle } = aDrive();
    loseNext(isWritten);
    await expect(drive.insert(anImage(), requester)).rejects.toMatchObject(UNKNOWN);
    expect(told).toEqual(['MediaInsertedUnknown']);
    expect(await settle()).toBe(phase);
  });

  it.each([
    ['was written', true, 'Ejected'],
    ['was not written', false, 'Importing'],
  ])('ejection that %s', async (_, isWritten, phase) => {
    const { drive, told, loseNext, settle } = aDrive();
    await drive.insert(anImage(), requester);
    loseNext(isWritten);
    await expect(drive.eject(requester)).rejects.toMatchObject(UNKNOWN);
    expect(told).toEqual(['MediaInserted', 'MediaEjectedUnknown']);
    expect(await settle()).toBe(phase);
  });
});
