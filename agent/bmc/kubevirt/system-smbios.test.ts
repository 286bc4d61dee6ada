import { expect, it } from 'vitest';
import { KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { READ_PERIOD, SmbiosReader } from './system-smbios.ts';

it('reads the SMBIOS of all VMs from time to time, and keeps it if a read fails', async () => {
  let status = 200;
  let reads = 0;
  const body = { items: [{ spec: { configuration: { smbios: { product: 'Cloud' } } } }] };
  const request = () => {
    reads += 1;
    const stream = ReadableStream.from<Uint8Array>([Buffer.from(JSON.stringify(body))]);
    return Promise.resolve({ status, headers: {}, body: stream });
  };
  const client = new KubeClient({ transport: { request, close: () => Promise.resolve() }, fieldManager: 'test' });
  const clock = new FakeClock();
  const reader = new SmbiosReader({ client, clock, signal: new AbortController().signal, logger: silentLogger });
  expect(reader.current).toBeUndefined();
  await reader.follow();
  await reader.follow();
  expect([reader.current, reads]).toEqual([{ product: 'Cloud' }, 1]);
  status = 500;
  await clock.advance(READ_PERIOD);
  await reader.follow();
  expect([reader.current, reads]).toEqual([{ product: 'Cloud' }, 2]);
});
