import { describe, expect, it } from 'vitest';
import { aPool, type PoolFields } from '../testing/builders.ts';
import { decidingPool, membersOf, wantedAgents } from './wanted-agents.ts';

const SECOND: PoolFields = {
  name: 'second',
  created: '2026-01-02T00:00:00Z',
  ipv4Config: { cidr: '10.1.0.0/16', serverIP: '10.1.0.2', pool: { start: '10.1.0.10', end: '10.1.0.19' } },
};
const wanted = (...pools: PoolFields[]) => wantedAgents(membersOf(pools.map(aPool)));

describe('the agents of a network', () => {
  it.each<[string, PoolFields[], string[][]]>([
    ['none without a pool', [], []],
    ['one for a pool', [{}], [['10.0.0.2/24']]],
    [
      'one for each server address of a pool',
      [{ ipv4Config: { serverIPs: ['10.0.0.2', '10.0.0.3'] } }],
      [['10.0.0.2/24'], ['10.0.0.3/24']],
    ],
    ['one for two pools, with an address in each', [SECOND, {}], [['10.0.0.2/24', '10.1.0.2/16']]],
    [
      'as many as the pool with the most servers has',
      [{ ipv4Config: { serverIPs: ['10.0.0.2', '10.0.0.3'] } }, SECOND],
      [['10.0.0.2/24', '10.1.0.2/16'], ['10.0.0.3/24']],
    ],
    [
      'one address if two pools of a network share it',
      [{}, { ...SECOND, ipv4Config: { pool: { start: '10.0.0.30', end: '10.0.0.39' } } }],
      [['10.0.0.2/24']],
    ],
    [
      'with the address in the pool of the owner of the network first, of two pools of one second',
      [{ name: 'a', namespace: 'other', created: SECOND.created ?? '' }, SECOND],
      [['10.1.0.2/16', '10.0.0.2/24']],
    ],
    ['none if all pools are paused', [{ paused: true }], []],
    ['unchanged if one of several pools is paused', [{ paused: true }, SECOND], [['10.0.0.2/24', '10.1.0.2/16']]],
    ['none for a pool that is being deleted', [{ deleted: '2026-01-03T00:00:00Z' }, SECOND], [['10.1.0.2/16']]],
    [
      'none for a pool whose addresses an older one has',
      [{}, { ...SECOND, ipv4Config: { serverIP: '10.0.0.3' } }],
      [['10.0.0.2/24']],
    ],
    ['none for a pool with an invalid spec', [{ ipv4Config: { pool: { start: '10.0.0.9', end: '10.0.0.1' } } }], []],
  ])('%s', (_what, pools, addresses) => {
    expect(wanted(...pools).map((agent) => agent.addresses)).toEqual(addresses);
  });

  it('have routes to relay agents behind the router of a pool', () => {
    const relays = { router: '10.0.0.1', relays: ['10.0.0.9', '10.1.0.9', '10.2.0.7', '10.3.0.7/28'] };
    const [agent, second] = wanted({ ipv4Config: { ...relays, serverIPs: ['10.0.0.2', '10.0.0.3'] } }, SECOND);
    const routes = ['10.2.0.7/32', '10.3.0.0/28'].map((dst) => ({ dst, gw: '10.0.0.1' }));
    expect(agent?.routes).toEqual(routes);
    expect(second?.routes).toEqual([{ dst: '10.1.0.9/32', gw: '10.0.0.1' }, ...routes]);
    expect(wanted({ ipv4Config: { relays: relays.relays } })[0]?.routes).toEqual([]);
  });

  it('are configured by the oldest pool of the namespace of the network', () => {
    const older = aPool({ name: 'older', namespace: 'other', agent: { image: 'theirs' } });
    const pools = [older, aPool({ ...SECOND, agent: { image: 'own' } })];
    expect(decidingPool(membersOf(pools))?.spec.agent).toEqual({ image: 'own' });
    expect(decidingPool(membersOf([older]))).toBeUndefined();
  });

  it('read the pools of all namespaces with pools of the network', () => {
    const [agent] = wanted({ namespace: 'b' }, { ...SECOND, namespace: 'a' });
    expect(agent?.poolNamespaces).toEqual(['a', 'b']);
  });
});
