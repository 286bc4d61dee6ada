import { describe, expect, it } from 'vitest';
import type { IPLease, VirtualMachineNetworkConfig } from '../../api/index.ts';
import type { Inputs } from './load-inputs.ts';
import { evaluateConfigs, evaluateLeases } from './evaluate-leases.ts';

const MAC = '52:54:00:00:00:01';

function inputs(changes: Partial<Inputs>): Inputs {
  const none = { bmcs: [], virtualMachines: [], instances: [], events: [], pools: [], leases: [], networkConfigs: [] };
  return { ...none, notInstalled: false, ...changes };
}

function lease(labels: Record<string, string> = {}, status?: IPLease['status']): IPLease {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPLease',
    metadata: {
      name: 'prod.10.0.0.9',
      namespace: 'pools',
      labels: { 'network.harvesterhci.io/ippool': 'prod', ...labels },
    },
    spec: { ipAddress: '10.0.0.9', macAddress: MAC, vmRef: { namespace: 'vms', name: 'web' } },
    ...(status === undefined ? {} : { status }),
  };
}

function config(status?: VirtualMachineNetworkConfig['status'], paused = false): VirtualMachineNetworkConfig {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'VirtualMachineNetworkConfig',
    metadata: { name: 'web', namespace: 'vms' },
    spec: { vmName: 'web', paused, networkConfigs: [{ networkName: 'vms/prod-net', macAddress: MAC }] },
    ...(status === undefined ? {} : { status }),
  };
}

const PENDING: VirtualMachineNetworkConfig['status'] = {
  networkConfigs: [{ networkName: 'vms/prod-net', macAddress: MAC, state: 'Pending' }],
  conditions: [
    {
      type: 'Allocated',
      status: 'False',
      reason: 'PoolExhausted',
      message: 'Widen the pool.',
      lastTransitionTime: '2026-11-21T10:00:00Z',
    },
  ],
};

describe('evaluateLeases', () => {
  it('shows a lease with the name of its VM', () => {
    const leases = [lease({}, { state: 'Bound', lastSeen: '2026-11-21T10:00:00Z' })];
    expect(evaluateLeases(inputs({ leases }))).toEqual([
      {
        namespace: 'vms',
        name: 'web',
        macAddress: MAC,
        address: '10.0.0.9',
        pool: 'prod',
        state: 'Bound',
        lastSeen: '2026-11-21T10:00:00Z',
      },
    ]);
  });

  it.each([
    ['Allocated while nobody has asked', {}, 'Allocated'],
    ['Released while its client may hold it', { 'network.harvesterhci.io/released': 'true' }, 'Released'],
    ['Retained for a VM that will come again', { 'network.harvesterhci.io/retained': 'true' }, 'Retained'],
  ])('shows %s', (_, labels, state) => {
    expect(evaluateLeases(inputs({ leases: [lease(labels)] }))[0]?.state).toBe(state);
  });

  it('shows an interface that waits for an address', () => {
    expect(evaluateLeases(inputs({ networkConfigs: [config(PENDING)] }))).toEqual([
      { namespace: 'vms', name: 'web', macAddress: MAC, address: '-', pool: 'vms/prod-net', state: 'Pending' },
    ]);
  });
});

describe('evaluateConfigs', () => {
  it('shows a waiting config with the reason', () => {
    expect(evaluateConfigs(inputs({ networkConfigs: [config(PENDING)] }))).toEqual([
      {
        namespace: 'vms',
        name: 'web',
        problems: [{ condition: 'Allocated', reason: 'PoolExhausted', message: 'Widen the pool.' }],
      },
    ]);
  });

  it('omits a paused config', () => {
    expect(evaluateConfigs(inputs({ networkConfigs: [config(PENDING, true)] }))).toEqual([]);
  });

  it('reports a config without status as not yet seen by a manager', () => {
    expect(evaluateConfigs(inputs({ networkConfigs: [config()] }))[0]?.problems[0]?.reason).toBe('NotReconciled');
  });
});
