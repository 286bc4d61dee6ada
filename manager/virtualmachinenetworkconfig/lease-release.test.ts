import { describe, expect, it } from 'vitest';
import { ANNOTATIONS, type IPLease } from '../../api/index.ts';
import { aLease, aPool } from './testing/builders.ts';
import { freeAt, TOMBSTONE } from './lease-release.ts';

const RELEASED = Date.UTC(2026, 0, 1, 12);
const GRACE = 3000;
const iso = (time: number): string => new Date(time).toISOString();

const released = (status?: IPLease['status'], annotations = { [ANNOTATIONS.releasedAt]: iso(RELEASED) }): IPLease => {
  const lease = aLease('10.0.0.10', { labels: ['released'], ...(status === undefined ? {} : { status }) });
  return { ...lease, metadata: { ...lease.metadata, annotations } };
};

describe('the time at which a released address is free', () => {
  it.each([
    ['after the grace, where no client ever had it', undefined, RELEASED + GRACE],
    [
      'after the grace, where its client gave it back',
      { state: 'Released', expires: iso(RELEASED + 9e6) },
      RELEASED + GRACE,
    ],
    ['after the grace, where it has run out already', { state: 'Bound', expires: iso(RELEASED - 1) }, RELEASED + GRACE],
    ['when it runs out', { state: 'Bound', expires: iso(RELEASED + 9e6) }, RELEASED + 9e6],
    ['a day after, where another machine has it', { state: 'Declined' }, RELEASED + TOMBSTONE],
  ] as const)('is %s', (_, status, expected) => {
    expect(freeAt(released(status), undefined, GRACE)).toBe(expected);
  });

  it('is as without a conflict, where enough addresses are in quarantine', () => {
    const lease = released({ state: 'Declined', expires: iso(RELEASED + 9e6) });
    expect(freeAt(lease, undefined, GRACE, false)).toBe(RELEASED + 9e6);
  });

  it('is the last acknowledgement plus the pool’s lease time if agents have not reported the expiry', () => {
    const lease = released({ state: 'Bound', lastAck: iso(RELEASED) });
    expect(freeAt(lease, aPool('pool', { leaseTime: 3600 }), GRACE)).toBe(RELEASED + 4_200_000);
  });

  it('is never for a release without a time', () => {
    expect(freeAt({ ...released(), metadata: { name: 'pool.10.0.0.10' } }, undefined, GRACE)).toBe(Infinity);
  });
});
