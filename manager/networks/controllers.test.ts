import { describe, expect, it } from 'vitest';
import { LABELS, type IPLease } from '../../api/index.ts';
import { leaseTurned } from './controllers.ts';

const lease = (status: IPLease['status'], metadata: Partial<IPLease['metadata']> = {}): IPLease => ({
  apiVersion: 'network.harvesterhci.io/v1alpha1',
  kind: 'IPLease',
  metadata: { name: 'pool.10.0.0.10', namespace: 'vms', ...metadata },
  spec: { ipAddress: '10.0.0.10', macAddress: '52:54:00:00:00:01' },
  ...(status === undefined ? {} : { status }),
});

const turns = (previous: IPLease, object: IPLease) => leaseTurned({ type: 'modified', previous, object });

describe('a transition of a lease', () => {
  it('is not a report that the client is still present', () => {
    const before = lease({ state: 'Bound', lastAck: '2026-01-01T00:00:00Z' });
    expect(turns(before, lease({ state: 'Bound', lastAck: '2026-01-01T00:10:00Z' }))).toBe(false);
    expect(turns(lease(undefined), before)).toBe(false);
  });

  it('is the start or the end of a conflict', () => {
    const [bound, declined] = [lease({ state: 'Bound' }), lease({ state: 'Declined' })];
    expect([turns(bound, declined), turns(declined, bound)]).toEqual([true, true]);
  });

  it('is a later expiry of a released lease, at which its address is free', () => {
    const released = { labels: { [LABELS.released]: 'true' } };
    const [before, after] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'].map((expires) => ({ expires }));
    expect(turns(lease(before, released), lease(after, released))).toBe(true);
    expect(turns(lease(before), lease(after))).toBe(false);
  });

  it('is its release, creation or deletion', () => {
    const bound = lease({ state: 'Bound' });
    expect(turns(bound, lease({ state: 'Bound' }, { labels: { [LABELS.released]: 'true' } }))).toBe(true);
    expect(turns(bound, lease({ state: 'Bound' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBe(true);
    expect(leaseTurned({ type: 'added', object: bound })).toBe(true);
    expect(leaseTurned({ type: 'deleted', object: bound })).toBe(true);
  });
});
