import { describe, expect, it } from 'vitest';
import { NETWORK, pool } from '../testing/builders.ts';
import { servedPools } from './served-pools.ts';

const low = { start: '10.0.0.10', end: '10.0.0.99' };
const high = { start: '10.0.0.100', end: '10.0.0.200' };
const names = (...pools: Parameters<typeof servedPools>[0]): string[] =>
  servedPools(pools, NETWORK).map(({ metadata }) => metadata.name);

describe('the pools that are served', () => {
  it('are all of the network, however they name it', () => {
    const [a, b] = [pool({ pool: low }, { name: 'a' }), pool({ pool: high }, { name: 'b', networkName: 'vlan10' })];
    const other = pool({}, { name: 'c', networkName: 'default/vlan11' });
    expect(names(a, b, other)).toEqual(['a', 'b']);
  });

  it('are none that are paused, or that have no range', () => {
    expect(
      names(pool({}, { paused: true }), pool({ pool: { start: '10.0.0.9', end: '10.0.0.8' } }, { name: 'b' })),
    ).toEqual([]);
  });

  it('are of those that collide the oldest, though it be paused', () => {
    const young = pool({}, { name: 'a', created: '2026-01-02T00:00:00Z' });
    const old = pool({ pool: low }, { name: 'b' });
    expect(names(young, old)).toEqual(['b']);
    expect(names(young, pool({ pool: low }, { name: 'b', paused: true }))).toEqual([]);
  });

  it.each<[string, Parameters<typeof pool>[0]]>([
    ['range is outside its network', { cidr: '10.1.0.0/24' }],
    ['router is no address', { router: '10.0.0.256' }],
    ['excluded addresses are none', { pool: { ...low, exclude: ['10.0.0.20-'] } }],
  ])('are those that an older one would collide with, were it not that its %s', (_what, config) => {
    const young = pool({}, { name: 'a', created: '2026-01-02T00:00:00Z' });
    expect(names(young, pool({ pool: low, ...config }, { name: 'b' }))).toEqual(['a']);
  });

  it('are of one age those with the lower uid', () => {
    expect(names(pool({}, { name: 'b' }), pool({}, { name: 'a' }))).toEqual(['a']);
  });

  it('are not those that would give one server address to two agents', () => {
    const old = pool({ pool: low, serverIPs: ['10.0.0.2', '10.0.0.3'] }, { name: 'a' });
    const young = pool({ pool: high, serverIP: '10.0.0.3', serverIPs: ['10.0.0.3'] }, { name: 'b' });
    expect(names(old, young)).toEqual(['a']);
  });
});
