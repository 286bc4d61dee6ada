import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyOf } from '@groundcrew/controller-runtime';
import type { IPLease } from '../../../api/index.ts';
import type { Lease, NetworkSettings } from '../../../protocols/dhcp/index.ts';
import { settingsOf } from '../pools/settings-of.ts';
import { lease, mac, macText, pool } from '../testing/builders.ts';
import { isServed, knownStatusOf, LeaseReader } from './lease-record.ts';
import { LeaseTable } from './lease-table.ts';

let table: LeaseTable;
let duplicates: string[];
let invalid: string[];
const reader = new LeaseReader();

beforeEach(() => {
  duplicates = [];
  invalid = [];
  table = new LeaseTable({
    isFresh: () => true,
    onDuplicate: (served, others) => duplicates.push(`${served.name} before ${others.map(({ name }) => name).join()}`),
    onInvalid: ({ name }) => invalid.push(name),
  });
  table.setPool('default/prod', settings());
});

afterEach(() => {
  const served = [...table.records].filter((record) => isServed(record)).map(({ pool: name }) => name);
  const counted = [...table.served].flatMap(([name, count]) => Array.from({ length: count }, () => name));
  expect(counted.toSorted()).toEqual(served.toSorted());
});

function settings(config: Parameters<typeof pool>[0] = {}): NetworkSettings | undefined {
  return settingsOf(pool(config), 0).settings;
}

function put(object: IPLease): void {
  table.put(reader.recordOf(object));
}

function remove(object: IPLease): void {
  table.remove(keyOf(object.metadata));
}

function found(index: number): Lease {
  const lease = table.find(mac(index));
  if (lease === undefined) throw new Error(`${macText(index)} has no lease`);
  return lease;
}

describe('the leases of a network', () => {
  it('are found by MAC address after put and not after remove', () => {
    put(lease(1, { hostname: 'web' }));
    expect(found(1)).toMatchObject({ macAddress: mac(1), ipAddress: 0x0a000001, hostname: 'web' });
    expect(found(1).boot).toBeUndefined();
    expect(table.find(mac(2))).toBeUndefined();
    remove(lease(1));
    expect(table.find(mac(1))).toBeUndefined();
    expect(table.size).toBe(0);
  });

  it('are new objects after a change that clients notice, else the same', () => {
    put(lease(1));
    const before = found(1);
    put({ ...lease(1), status: { state: 'Bound', lastSeen: '2026-01-01T00:00:00Z' } });
    expect(found(1)).toBe(before);
    const edited = settings({ dns: ['10.0.0.53'] });
    table.setPool('default/prod', edited);
    expect(found(1)).not.toBe(before);
    expect(found(1).settings).toBe(edited);
    expect(before.settings.dns).toEqual([]);
  });

  it('keep the status that the agent has written when the watch delivers an older one', () => {
    const bound = { state: 'Bound', firstBound: '2026-01-01T00:00:00Z', lastAck: '2026-01-01T00:10:00Z' } as const;
    const written = { ...bound, expires: '2026-01-01T01:20:00Z' };
    put({ ...lease(1), status: { state: 'Declined', lastSeen: '2026-01-01T00:00:00Z' } });
    table.current(reader.recordOf(lease(1)))?.learn(knownStatusOf(written));
    put({ ...lease(1), status: { state: 'Declined', lastSeen: '2026-01-01T00:05:00Z' } });
    expect(table.current(reader.recordOf(lease(1)))).toMatchObject(knownStatusOf(written));
    const renewed = { ...written, lastAck: '2026-01-01T00:20:00Z', expires: '2026-01-01T01:30:00Z' };
    put({ ...lease(1), status: renewed });
    expect(table.current(reader.recordOf(lease(1)))).toMatchObject(knownStatusOf(renewed));
  });

  it('are new objects after a pause, since the old ones may be cached with other settings', () => {
    put(lease(1));
    const before = found(1);
    table.setPool('default/prod', undefined);
    table.setPool('default/prod', settings({ dns: ['10.0.0.53'] }));
    expect(found(1)).not.toBe(before);
  });

  it('follow an address to another MAC address, in any order of events', () => {
    put(lease(1));
    put(lease(1, { uid: 'another', macAddress: macText(7) }));
    expect(table.find(mac(1))).toBeUndefined();
    expect(found(7).ipAddress).toBe(0x0a000001);
    remove(lease(1));
    put(lease(2, { macAddress: macText(7) }));
    expect(found(7).ipAddress).toBe(0x0a000002);
  });

  it('are not affected by an invalid lease', () => {
    put(lease(1));
    put(lease(2, { macAddress: 'nonsense' }));
    put(lease(3));
    expect([found(1).ipAddress, found(3).ipAddress]).toEqual([0x0a000001, 0x0a000003]);
    expect(invalid).toEqual(['prod.10.0.0.2']);
    put(lease(2, { uid: 'mended' }));
    expect(found(2).ipAddress).toBe(0x0a000002);
  });

  it('are replaced by namespace', () => {
    put(lease(1));
    put(lease(2));
    table.replace('default', [reader.recordOf(lease(2)), reader.recordOf(lease(3))]);
    expect([1, 2, 3].map((index) => table.find(mac(index))?.ipAddress)).toEqual([undefined, 0x0a000002, 0x0a000003]);
    table.replace('other', []);
    expect(table.size).toBe(2);
  });
});

describe('two leases of one MAC address', () => {
  const older = lease(1);
  const younger = lease(2, { macAddress: macText(1), created: '2026-01-02T00:00:00Z' });

  it.each([
    ['older first', [older, younger]],
    ['younger first', [younger, older]],
  ])('the older one is served, with events %s', (_, objects) => {
    for (const object of objects) put(object);
    expect(found(1).ipAddress).toBe(0x0a000001);
    expect(new Set(duplicates)).toEqual(new Set(['prod.10.0.0.1 before prod.10.0.0.2']));
  });

  it('the younger one is served when the older one is deleted', () => {
    put(younger);
    put(older);
    remove(older);
    expect(found(1).ipAddress).toBe(0x0a000002);
  });

  it('the one of a served pool has priority until the pool of the older one is served', () => {
    put({ ...older, metadata: { ...older.metadata, labels: { 'network.harvesterhci.io/ippool': 'later' } } });
    put(younger);
    expect(found(1).ipAddress).toBe(0x0a000002);
    expect(duplicates).toEqual([]);
    table.setPool('default/later', settings());
    expect(found(1).ipAddress).toBe(0x0a000001);
  });
});

describe('a network boot override for every boot', () => {
  it('has no VMI UID and is not consumed by an earlier status', () => {
    const boot = { mode: 'UefiHttp', uri: 'http://10.0.0.1/x' } as const;
    put(lease(1, { boot, status: { bootConsumedUID: 'life-1' } }));
    expect(found(1).boot).toEqual({ ...boot, isConsumed: false });
    put(lease(1, { boot: {} }));
    expect(found(1).boot).toBeUndefined();
  });
});

describe('boot files of the interface', () => {
  it('are those of the lease, also when they change', () => {
    put(lease(1, { boot: { files: { ipxe: 'http://10.0.0.1/x' } } }));
    expect(found(1).boot).toEqual({ files: { ipxe: 'http://10.0.0.1/x' }, isConsumed: false });
    put(lease(1, { boot: { files: { ipxe: 'http://10.0.0.1/y' } } }));
    expect(found(1).boot?.files).toEqual({ ipxe: 'http://10.0.0.1/y' });
  });
});

describe('a network boot that is done', () => {
  const booting = lease(1, { boot: { vmiUID: 'life-1', mode: 'Pxe' } });

  it('is marked at once and stays marked until the API server shows it', () => {
    put(booting);
    const before = found(1);
    expect(before.boot).toEqual({ uid: 'life-1', mode: 'Pxe', isConsumed: false });
    table.consumeBoot(before);
    expect(found(1)).not.toBe(before);
    expect(found(1).boot?.isConsumed).toBe(true);
    put({ ...booting, status: { state: 'Bound' } });
    expect(found(1).boot?.isConsumed).toBe(true);
  });

  it('does not apply to the next VMI', () => {
    put(booting);
    table.consumeBoot(found(1));
    put({ ...booting, spec: { ...booting.spec, boot: { vmiUID: 'life-2' } } });
    expect(found(1).boot).toEqual({ uid: 'life-2', isConsumed: false });
  });

  it('is read from the status of another agent', () => {
    put(lease(1, { boot: { vmiUID: 'life-1' }, status: { bootConsumedUID: 'life-1' } }));
    expect(found(1).boot?.isConsumed).toBe(true);
  });

  it('is read from the spec if another interface was used', () => {
    put(booting);
    put({ ...booting, spec: { ...booting.spec, boot: { vmiUID: 'life-1', mode: 'Pxe', consumed: true } } });
    expect(found(1).boot).toEqual({ uid: 'life-1', mode: 'Pxe', isConsumed: true });
    put({ ...booting, spec: { ...booting.spec, boot: { vmiUID: 'life-2', mode: 'Pxe' } } });
    expect(found(1).boot?.isConsumed).toBe(false);
  });
});
