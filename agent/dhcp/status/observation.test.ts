import { describe, expect, it } from 'vitest';
import type { IPLease } from '../../../api/index.ts';
import { LeaseReader } from '../store/lease-record.ts';
import { lease } from '../testing/builders.ts';
import { merged, observationOf, type Happening } from './observation.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const ACK: Happening = { is: 'acknowledged', leaseTime: 3600, inputs: () => ({ hostname: 'web' }) };
const minutesAgo = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();

function see(happening: Happening, status?: IPLease['status']) {
  const record = new LeaseReader().recordOf(lease(1, status === undefined ? {} : { status }));
  return observationOf(happening, record, NOW);
}

describe('an observation', () => {
  it('is made of the first ACK', () => {
    expect(see(ACK)).toMatchObject({
      state: 'Bound',
      lastAck: NOW,
      lastSeen: NOW,
      // The lease time, and the ten minutes within which no renewal is written.
      expires: NOW + 3_600_000 + 600_000,
      inputs: { hostname: 'web' },
      due: NOW + 400,
    });
    expect(see(ACK, { state: 'Allocated', lastSeen: minutesAgo(1) })).toMatchObject({ state: 'Bound' });
    expect(see(ACK, { state: 'Released', firstBound: minutesAgo(9), lastSeen: minutesAgo(1) })).toMatchObject({
      state: 'Bound',
    });
  });

  it('is made of a renewal once in ten minutes', () => {
    const bound = { state: 'Bound', firstBound: minutesAgo(60), expires: minutesAgo(-61) } as const;
    expect(see(ACK, { ...bound, lastAck: minutesAgo(9.9) })).toBeUndefined();
    expect(see(ACK, { ...bound, lastAck: minutesAgo(10) })).toMatchObject({ state: 'Bound', lastAck: NOW });
  });

  it('is made at once if the expiry is later than written, so that no other client gets the address', () => {
    const bound = { state: 'Bound', firstBound: minutesAgo(60), lastSeen: minutesAgo(1) } as const;
    for (const expires of [minutesAgo(30), minutesAgo(-59)]) {
      expect(see(ACK, { ...bound, expires })).toMatchObject({ lastAck: NOW, expires: NOW + 3_600_000 + 600_000 });
    }
  });

  it('is made of any message once in ten minutes, with a delay for the ACK that usually follows', () => {
    expect(see({ is: 'seen' })).toEqual(expect.objectContaining({ lastSeen: NOW, due: NOW + 5000 }));
    expect(see({ is: 'seen' })).not.toHaveProperty('state');
    expect(see({ is: 'seen' }, { lastSeen: minutesAgo(9) })).toBeUndefined();
  });

  it('is made of a RELEASE, which ends the lease', () => {
    expect(see({ is: 'released' }, { state: 'Bound', lastSeen: minutesAgo(1) })).toMatchObject({
      state: 'Released',
      expires: NOW,
    });
  });

  it('is made of a conflict, which ACKs do not change for ten minutes', () => {
    const by = '02:00:00:00:00:42';
    expect(see({ is: 'declined', by })).toMatchObject({ state: 'Declined', conflictingMAC: by });
    const declined = { state: 'Declined', firstBound: minutesAgo(60), expires: minutesAgo(-61) } as const;
    expect(see(ACK, { ...declined, lastSeen: minutesAgo(9) })).toBeUndefined();
    expect(see(ACK, { ...declined, lastSeen: minutesAgo(10) })).toMatchObject({ state: 'Bound' });
  });

  it('is made of a network boot that is done', () => {
    expect(see({ is: 'boot consumed', uid: 'life-1' }, { lastSeen: minutesAgo(1) })).toMatchObject({
      bootConsumedUID: 'life-1',
    });
  });

  it('merges several events and is due when the first one is', () => {
    const [seen, bound] = [see({ is: 'seen' }), see(ACK)];
    if (seen === undefined || bound === undefined) throw new Error('an observation is missing');
    expect(merged(seen, bound)).toMatchObject({ state: 'Bound', lastSeen: NOW, due: NOW + 400 });
    expect(merged(bound, { ...seen, lastSeen: NOW + 9 })).toMatchObject({
      state: 'Bound',
      lastSeen: NOW + 9,
      due: NOW + 400,
    });
  });
});
