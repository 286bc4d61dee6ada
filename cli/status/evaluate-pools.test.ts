import { describe, expect, it } from 'vitest';
import type { Condition, IPLease, IPPool } from '../../api/index.ts';
import { evaluatePools } from './evaluate-pools.ts';

function condition(type: string, status: 'True' | 'False', reason: string): Condition {
  return { type, status, reason, message: `${reason}.`, lastTransitionTime: '2026-11-21T10:00:00Z' };
}

const HEALTHY: Condition[] = [
  condition('Registered', 'True', 'Registered'),
  condition('AgentReady', 'True', 'AgentsReady'),
  condition('Ready', 'True', 'Ready'),
  condition('Stopped', 'False', 'NotPaused'),
  condition('Exhausted', 'False', 'AddressesAvailable'),
  condition('ConflictDetected', 'False', 'NoConflict'),
];

function pool(conditions: readonly Condition[] = [], paused = false): IPPool {
  const types = new Set(conditions.map(({ type }) => type));
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPPool',
    metadata: { name: 'prod', namespace: 'vms' },
    spec: {
      networkName: 'prod-net',
      ...(paused ? { paused } : {}),
      ipv4Config: {
        cidr: '10.0.0.0/24',
        serverIP: '10.0.0.2',
        serverIPs: ['10.0.0.2', '10.0.0.3'],
        pool: { start: '10.0.0.10', end: '10.0.0.20' },
      },
    },
    status: {
      phase: 'Ready',
      ipv4: { used: 2, available: 9, total: 11 },
      agents: [
        { serverIP: '10.0.0.2', ready: true },
        { serverIP: '10.0.0.3', ready: false },
      ],
      conditions: [...HEALTHY.filter(({ type }) => !types.has(type)), ...conditions],
    },
  };
}

function lease(address: string, state: 'Allocated' | 'Bound', poolName = 'prod'): IPLease {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPLease',
    metadata: {
      name: `${poolName}.${address}`,
      namespace: 'vms',
      labels: { 'network.harvesterhci.io/ippool': poolName },
    },
    spec: { ipAddress: address, macAddress: '52:54:00:00:00:01' },
    status: { state },
  };
}

const evaluate = (one: IPPool, leases: IPLease[] = []) =>
  evaluatePools({
    bmcs: [],
    virtualMachines: [],
    instances: [],
    events: [],
    pools: [one],
    leases,
    networkConfigs: [],
    notInstalled: false,
  })[0];

describe('evaluatePools', () => {
  it('shows a pool without problems', () => {
    const leases = [lease('10.0.0.10', 'Bound'), lease('10.0.0.11', 'Allocated'), lease('10.0.0.10', 'Bound', 'other')];
    expect(evaluate(pool(), leases)).toEqual({
      namespace: 'vms',
      name: 'prod',
      network: 'vms/prod-net',
      used: 2,
      bound: 1,
      total: 11,
      agents: '1/2',
      phase: 'Ready',
      problems: [],
    });
  });

  it.each([
    ['agents that do not answer', condition('AgentReady', 'False', 'AgentNotReady')],
    ['a full pool', condition('Exhausted', 'True', 'Exhausted')],
    ['an address that somebody else uses', condition('ConflictDetected', 'True', 'AddressInUse')],
    ['a network that is not there', condition('Registered', 'False', 'NetworkNotFound')],
  ])('reports %s', (_, ill) => {
    const { type, reason, message } = ill;
    expect(evaluate(pool([ill]))?.problems).toEqual([{ condition: type, reason, message }]);
  });

  it('does not report the pause of a paused pool as a problem', () => {
    const paused = pool([condition('Stopped', 'True', 'Paused'), condition('Ready', 'False', 'Paused')], true);
    expect(evaluate(paused)?.problems).toEqual([]);
  });

  it('reports a pool without status as not yet seen by a manager', () => {
    const { status: _, ...unseen } = pool();
    expect(evaluate(unseen)).toMatchObject({ phase: 'Unseen', agents: '0/2', problems: [{ reason: 'NotReconciled' }] });
  });
});
