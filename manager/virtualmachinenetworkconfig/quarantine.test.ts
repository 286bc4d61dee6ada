import { expect, it, vi } from 'vitest';
import { ANNOTATIONS, type IPLease } from '../../api/index.ts';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { KubeClient } from '@groundcrew/controller-runtime';
import { Newest } from '../ipam/index.ts';
import { createNetworkCaches } from '../networks/index.ts';
import { mayBeQuarantined } from './quarantine.ts';
import { aLease, aPool, type LeaseFields } from './testing/builders.ts';

const LARGE = aPool('pool', { pool: { start: '10.0.0.100', end: '10.0.0.199' } });
const DECLINED: IPLease['status'] = { state: 'Declined' };
const mac = (number: number): string => `52:54:00:00:01:${String(number).padStart(2, '0')}`;

/** The address `10.0.0.<last>`, given up at minute `last`. */
function quarantined(last: number, fields: LeaseFields = {}): IPLease {
  const { metadata, ...lease } = aLease(`10.0.0.${last}`, { labels: ['released'], status: DECLINED, ...fields });
  const releasedAt = new Date(Date.UTC(2026, 0, 1, 0, last)).toISOString();
  return { ...lease, metadata: { ...metadata, annotations: { [ANNOTATIONS.releasedAt]: releasedAt } } };
}

/** Which of the leases may be in quarantine. */
function admitted(leases: readonly IPLease[], pool = LARGE): string[] {
  const known = { find: () => [...leases] };
  return leases.filter((lease) => mayBeQuarantined(lease, pool, known)).map(({ spec }) => spec.ipAddress);
}

it('has the three addresses that a VM gave up first, also with several MAC addresses', () => {
  const leases = [103, 102, 101, 100].map((last) => quarantined(last, { mac: mac(last - 100) }));
  expect(admitted(leases)).toEqual(['10.0.0.102', '10.0.0.101', '10.0.0.100']);
  const active = aLease('10.0.0.150', { status: DECLINED });
  expect(admitted([...leases, active])).not.toContain('10.0.0.150');
  expect(admitted([...leases.slice(2), active])).toContain('10.0.0.150');
});

it('has three addresses of a MAC address, also for several VMs', () => {
  const leases = [100, 101, 102, 103].map((last) => quarantined(last, { vm: `vm-${last}` }));
  expect(admitted(leases)).toEqual(['10.0.0.100', '10.0.0.101', '10.0.0.102']);
});

it('has an eighth of a pool, and at least one address', () => {
  const leases = Array.from({ length: 20 }, (_, at) => quarantined(100 + at, { vm: `vm-${at}`, mac: mac(at) }));
  expect(admitted(leases)).toEqual(leases.slice(0, 12).map(({ spec }) => spec.ipAddress));
  const small = aPool('pool', { pool: { start: '10.0.0.100', end: '10.0.0.102' } });
  expect(admitted(leases.slice(0, 3), small)).toEqual(['10.0.0.100']);
});

it('does not count released addresses without a conflict', () => {
  const others = [100, 101, 102].map((last) => quarantined(last, { status: { state: 'Bound' } }));
  expect(admitted([...others, quarantined(103)])).toContain('10.0.0.103');
});

it('reads only the leases in quarantine, however many others the pool has', async () => {
  const api = new ScriptedApi();
  const clock = new FakeClock();
  const client = new KubeClient({ transport: api, fieldManager: 'test' });
  const { leases, all } = createNetworkCaches({ client, clock, logger: silentLogger, namespaces: ['vms'] });
  const put = (lease: IPLease) =>
    api.put(`/apis/network.harvesterhci.io/v1alpha1/namespaces/vms/ipleases/${lease.metadata.name}`, lease);
  for (let last = 100; last < 200; last += 1) put(last < 102 ? quarantined(last) : aLease(`10.0.0.${last}`));
  const stop = new AbortController();
  const running = all.map((cache) => cache.run(stop.signal));
  await Promise.all(all.map((cache) => cache.settled()));
  const known = new Newest(leases, clock);
  const read = vi.spyOn(known, 'find');
  expect(mayBeQuarantined(aLease('10.0.0.150', { status: DECLINED }), LARGE, known)).toBe(true);
  expect(read.mock.results.map(({ value }) => (value as readonly IPLease[]).length)).toEqual([2]);
  stop.abort();
  await Promise.all(running);
});
