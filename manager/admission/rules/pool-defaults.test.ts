import { describe, expect, it } from 'vitest';
import { formatIpv4 } from '../../../api/index.ts';
import { defaultAddresses, canonicalReservations } from './pool-defaults.ts';

describe('the defaults of an IPPool', () => {
  const filled = (ipv4Config: unknown) =>
    defaultAddresses({ spec: { ipv4Config } }).map((op) =>
      'value' in op ? [op.path.replace('/spec/ipv4Config/', ''), op.value] : [],
    );

  it.each<[unknown, unknown]>([
    [
      { cidr: '10.9.0.0/24', pool: {} },
      [
        ['serverIP', '10.9.0.1'],
        ['pool/start', '10.9.0.1'],
        ['pool/end', '10.9.0.254'],
      ],
    ],
    [
      { cidr: '10.9.0.0/24', router: '10.9.0.1', pool: { start: '', end: '' } },
      [
        ['serverIP', '10.9.0.2'],
        ['pool/start', '10.9.0.1'],
        ['pool/end', '10.9.0.254'],
      ],
    ],
    [
      { cidr: '10.9.0.0/24', serverIP: '10.9.0.7' },
      [
        ['pool', {}],
        ['pool/start', '10.9.0.1'],
        ['pool/end', '10.9.0.254'],
      ],
    ],
    [
      { cidr: '10.9.0.0/29', pool: { start: '10.9.0.1', end: '10.9.0.6', exclude: ['10.9.0.1-10.9.0.3', '10.9.0.4'] } },
      [['serverIP', '10.9.0.5']],
    ],
    [
      {
        cidr: '10.9.0.0/24',
        router: '10.9.0.3',
        pool: { start: '10.9.0.1', end: '10.9.0.6', exclude: ['10.9.0.4', '10.9.0.1-10.9.0.2', '10.9.0.2', 'x'] },
      },
      [['serverIP', '10.9.0.5']],
    ],
    [
      { cidr: '10.9.0.0/24', serverIPs: ['10.9.0.8'], pool: { start: '10.9.0.9', end: '10.9.0.10' } },
      [['serverIP', '10.9.0.8']],
    ],
    [{ cidr: '10.9.0.0/30', pool: { start: '10.9.0.1', end: '10.9.0.2', exclude: ['10.9.0.0/30'] } }, []],
    [{ cidr: '10.9.0.0/31' }, []],
    [{ cidr: 7, pool: 'x' }, []],
    [{ cidr: '10.9.0.0/24', serverIP: '10.9.0.2', pool: 'x' }, []],
    [undefined, []],
  ])('are set: %j', (config, ops) => {
    expect(filled(config)).toEqual(ops);
  });

  it('are set even if a very large range is excluded', () => {
    const exclude = Array.from({ length: 200_000 }, (_, index) => formatIpv4(0x0a03_0d40 - index));
    const pool = { start: '10.0.0.1', end: '10.9.0.6', exclude };
    expect(filled({ cidr: '10.0.0.0/8', pool })).toEqual([['serverIP', '10.3.13.65']]);
  });
});

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
