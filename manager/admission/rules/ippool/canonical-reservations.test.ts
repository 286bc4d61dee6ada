import { describe, expect, it } from 'vitest';
import { canonicalReservations } from './canonical-reservations.ts';

describe('the MAC addresses of reservations', () => {
  it.each<[unknown, unknown]>([
    [
      [{ macAddress: '02-00-00-00-00-AA' }, { macAddress: '02:00:00:00:00:ab' }, { vmName: 'db' }, { macAddress: 'x' }],
      [{ op: 'replace', path: '/spec/ipv4Config/reservations/0/macAddress', value: '02:00:00:00:00:aa' }],
    ],
    [[7, null, 'x'], []],
    ['x', []],
    [undefined, []],
  ])('are converted to the canonical form: %j', (reservations, patch) => {
    expect(canonicalReservations({ spec: { ipv4Config: { reservations } } })).toEqual(patch);
    expect(canonicalReservations(reservations)).toEqual([]);
  });
});
