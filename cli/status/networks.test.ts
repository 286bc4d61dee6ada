import { describe, expect, it } from 'vitest';
import type { IPLease } from '../../api/index.ts';
import { configProblems } from './network-configs.ts';
import { evaluateLeases, evaluatePools, poolProblems } from './networks.ts';
import { aCluster, aConfig, aLease, aPool, condition, MAC, pending } from './testing/builders.ts';

describe('evaluatePools', () => {
  it('shows a pool with its own leases and its agents', () => {
    const leases = [
      aLease({}, { state: 'Bound' }),
      aLease({}, { state: 'Allocated' }),
      aLease({ 'network.harvesterhci.io/ippool': 'other' }, { state: 'Bound' }),
      aLease({}, { state: 'Bound' }, 'elsewhere'),
    ];
    expect(evaluatePools(aCluster({ leases }))).toEqual([
      {
        ...{ namespace: 'vms', name: 'prod', network: 'vms/prod-net', phase: 'Ready', agents: '2/2' },
        ...{ used: 2, bound: 1, resting: 3, total: 11 },
        ...{ cidr: '10.0.0.0/24', start: '10.0.0.10', end: '10.0.0.20', excluded: [] },
        servers: ['10.0.0.2', '10.0.0.3'],
      },
    ]);
  });

  it('shows what an address map of the pool needs', () => {
    const pool = aPool();
    const { ipv4Config } = pool.spec;
    if (ipv4Config === undefined) throw new TypeError('the pool has no addresses');
    const { serverIPs: _, ...one } = ipv4Config;
    const range = { ...one.pool, exclude: ['10.0.0.12', '10.0.0.16/30'] };
    pool.spec = { ...pool.spec, ipv4Config: { ...one, router: '10.0.0.1', pool: range } };
    const empty = { ...pool, metadata: { ...pool.metadata, name: 'empty' }, spec: { networkName: 'prod-net' } };
    expect(evaluatePools(aCluster({ pools: [pool, empty] }))).toMatchObject([
      { name: 'empty', cidr: '-', start: '-', end: '-', servers: [], excluded: [], agents: '2/1' },
      { name: 'prod', router: '10.0.0.1', servers: ['10.0.0.2'], excluded: ['10.0.0.12', '10.0.0.16/30'] },
    ]);
  });

  it('reports no problem of a paused pool or config', () => {
    const pools = [aPool([condition('Stopped', 'True', 'Paused'), condition('Ready', 'False', 'Paused')], true)];
    expect(poolProblems(aCluster({ pools }))).toEqual([]);
    expect(configProblems(aCluster({ networkConfigs: [aConfig(pending(), true)] }))).toEqual([]);
  });

  it('reports a pool or config without status as not yet seen by a manager', () => {
    const { status: _, ...unseen } = aPool();
    expect(evaluatePools(aCluster({ pools: [unseen] }))).toMatchObject([{ phase: 'Unseen', agents: '0/2' }]);
    expect(poolProblems(aCluster({ pools: [unseen] }))).toMatchObject([{ reason: 'NotReconciled' }]);
    expect(configProblems(aCluster({ networkConfigs: [aConfig()] }))).toMatchObject([{ reason: 'NotReconciled' }]);
  });
});

describe('evaluateLeases', () => {
  const stateOf = (labels: Record<string, string>, status?: IPLease['status']) =>
    evaluateLeases(aCluster({ leases: [aLease(labels, status)] }))[0]?.state;

  it('shows a lease with the name of its VM', () => {
    const leases = [aLease({}, { state: 'Bound', lastSeen: '2026-11-21T10:00:00Z' }, 'pools')];
    expect(evaluateLeases(aCluster({ leases }))).toEqual([
      {
        ...{ namespace: 'vms', name: 'web', macAddress: MAC, address: '10.0.0.9' },
        ...{ poolNamespace: 'pools', pool: 'prod' },
        ...{ state: 'Bound', lastSeen: '2026-11-21T10:00:00Z' },
      },
    ]);
  });

  it.each([
    ['Allocated if no client has requested it', {}, 'Allocated'],
    ['Resting while its client may hold it', { 'network.harvesterhci.io/released': 'true' }, 'Resting'],
    ['Retained for the next VM of its name', { 'network.harvesterhci.io/retained': 'true' }, 'Retained'],
  ])('shows %s', (_, labels, state) => {
    expect(stateOf(labels)).toBe(state);
  });

  it('shows an address in quarantine, because another machine uses it', () => {
    expect(stateOf({ 'network.harvesterhci.io/released': 'true' }, { state: 'Declined' })).toBe('Quarantined');
  });

  it('shows an interface that waits for an address', () => {
    expect(evaluateLeases(aCluster({ leases: [], networkConfigs: [aConfig(pending())] }))).toEqual([
      { namespace: 'vms', name: 'web', macAddress: MAC, address: '-', pool: 'vms/prod-net', state: 'Pending' },
    ]);
  });
});
