import { describe, expect, it } from 'vitest';
import type {
  Condition,
  VirtualMachine,
  VirtualMachineBMC,
  IPLease,
  IPPool,
  VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import type { Event } from '@groundcrew/controller-runtime';
import type { Inputs } from './run.ts';
import { evaluateBmcs, evaluatePools, evaluateConfigs, evaluateLeases } from './evaluate.ts';

function bmc(name: string, status?: VirtualMachineBMC['status']): VirtualMachineBMC {
  return {
    apiVersion: 'bmc.kubevirt.io/v1beta1',
    kind: 'VirtualMachineBMC',
    metadata: { name, namespace: 'vms', uid: `uid-${name}` },
    spec: { virtualMachineRef: { name } },
    ...(status === undefined ? {} : { status }),
  };
}

function vm(name: string): VirtualMachine {
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name, namespace: 'vms' },
    spec: { runStrategy: 'Manual', template: { spec: { domain: { devices: {} } } } },
  };
}

function event(uid: string, time: string, reason: string): Event {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${uid}.${time}`, namespace: 'vms' },
    involvedObject: { uid },
    lastTimestamp: time,
    reason,
    message: 'by admin',
  };
}

function condition(type: string, status: 'True' | 'False', reason: string): Condition {
  return { type, status, reason, message: `${reason}.`, lastTransitionTime: '2026-11-21T10:00:00Z' };
}

function inputs(changes: Partial<Inputs>): Inputs {
  const none = { bmcs: [], virtualMachines: [], instances: [], events: [], pools: [], leases: [], networkConfigs: [] };
  return { ...none, notInstalled: false, ...changes };
}

describe('evaluateBmcs', () => {
  it('shows a BMC without problems', () => {
    const healthy = bmc('a', {
      phase: 'Ready',
      endpoints: { ipmi: '10.0.0.1:623', redfish: 'https://10.0.0.1' },
      agent: { name: 'a-virtbmc-x' },
      conditions: [condition('Ready', 'True', 'Ready')],
    });
    expect(evaluateBmcs(inputs({ bmcs: [healthy], virtualMachines: [vm('a')] }))).toEqual([
      {
        namespace: 'vms',
        name: 'a',
        virtualMachine: 'a',
        power: 'Off',
        ipmi: '10.0.0.1:623',
        redfish: 'https://10.0.0.1',
        agent: 'a-virtbmc-x',
        phase: 'Ready',
        problems: [],
      },
    ]);
  });

  it('shows the conditions that cause Ready=False, without Ready itself', () => {
    const failing = bmc('a', {
      conditions: [
        condition('Ready', 'False', 'SecretMissing'),
        condition('SecretAvailable', 'False', 'SecretNotFound'),
      ],
    });
    expect(evaluateBmcs(inputs({ bmcs: [failing] }))[0]?.problems).toEqual([
      { condition: 'SecretAvailable', reason: 'SecretNotFound', message: 'SecretNotFound.' },
    ]);
  });

  it('shows a message of several conditions once', () => {
    const failing = bmc('a', {
      conditions: [condition('ServiceReady', 'False', 'Taken'), condition('AgentReady', 'False', 'Taken')],
    });
    expect(evaluateBmcs(inputs({ bmcs: [failing] }))[0]?.problems.map(({ condition: type }) => type)).toEqual([
      'ServiceReady',
    ]);
  });

  it('shows that a VM is missing', () => {
    expect(evaluateBmcs(inputs({ bmcs: [bmc('a')] }))[0]?.power).toBe('missing');
  });

  it('reports a BMC without status as not yet seen by a manager', () => {
    expect(evaluateBmcs(inputs({ bmcs: [bmc('a')] }))[0]?.problems[0]?.reason).toBe('NotReconciled');
  });

  it('shows only the last action that a client requested from this BMC', () => {
    const events = [
      event('uid-a', '2026-11-21T10:00:00Z', 'PowerOn'),
      event('uid-a', '2026-11-21T11:00:00Z', 'PowerOffRefused'),
      event('uid-b', '2026-11-21T12:00:00Z', 'PowerCycle'),
      event('uid-a', '2026-11-21T13:00:00Z', 'BootOrderRestored'),
    ];
    expect(evaluateBmcs(inputs({ bmcs: [bmc('a')], events }))[0]?.lastAction).toEqual({
      time: '2026-11-21T11:00:00Z',
      reason: 'PowerOffRefused',
      message: 'by admin',
    });
  });

  it('sorts by namespace and name', () => {
    expect(evaluateBmcs(inputs({ bmcs: [bmc('b'), bmc('a')] })).map(({ name }) => name)).toEqual(['a', 'b']);
  });
});

const MAC = '52:54:00:00:00:01';

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
      ipv4: { used: 2, available: 6, total: 11, resting: 3 },
      agents: [
        { serverIP: '10.0.0.2', ready: true },
        { serverIP: '10.0.0.3', ready: false },
      ],
      conditions: [...HEALTHY.filter(({ type }) => !types.has(type)), ...conditions],
    },
  };
}

/** A lease of the VM `vms/web` with 10.0.0.9 in the pool `pools/prod`. */
function lease(labels: Record<string, string> = {}, status?: IPLease['status'], namespace = 'pools'): IPLease {
  return {
    apiVersion: 'network.harvesterhci.io/v1alpha1',
    kind: 'IPLease',
    metadata: {
      name: 'prod.10.0.0.9',
      namespace,
      labels: { 'network.harvesterhci.io/ippool': 'prod', ...labels },
    },
    spec: { ipAddress: '10.0.0.9', macAddress: MAC, vmRef: { namespace: 'vms', name: 'web' } },
    ...(status === undefined ? {} : { status }),
  };
}

const evaluate = (one: IPPool, leases: IPLease[] = []) => evaluatePools(inputs({ pools: [one], leases }))[0];

describe('evaluatePools', () => {
  it('shows a pool without problems', () => {
    const leases = [
      lease({}, { state: 'Bound' }, 'vms'),
      lease({}, { state: 'Allocated' }, 'vms'),
      lease({ 'network.harvesterhci.io/ippool': 'other' }, { state: 'Bound' }, 'vms'),
    ];
    expect(evaluate(pool(), leases)).toEqual({
      namespace: 'vms',
      name: 'prod',
      network: 'vms/prod-net',
      used: 2,
      bound: 1,
      resting: 3,
      total: 11,
      agents: '1/2',
      phase: 'Ready',
      problems: [],
    });
  });

  it.each([
    ['agents that do not answer', condition('AgentReady', 'False', 'AgentNotReady')],
    ['a full pool', condition('Exhausted', 'True', 'Exhausted')],
    ['an address that another machine uses', condition('ConflictDetected', 'True', 'AddressInUse')],
    ['a missing network', condition('Registered', 'False', 'NetworkNotFound')],
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
  conditions: [condition('Allocated', 'False', 'PoolExhausted')],
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
    ['Allocated if no client has requested it', {}, 'Allocated'],
    ['Resting while its client may hold it', { 'network.harvesterhci.io/released': 'true' }, 'Resting'],
    ['Retained for the next VM of its name', { 'network.harvesterhci.io/retained': 'true' }, 'Retained'],
  ])('shows %s', (_, labels, state) => {
    expect(evaluateLeases(inputs({ leases: [lease(labels)] }))[0]?.state).toBe(state);
  });

  it('shows an address in quarantine, because another machine uses it', () => {
    const leases = [lease({ 'network.harvesterhci.io/released': 'true' }, { state: 'Declined' })];
    expect(evaluateLeases(inputs({ leases }))).toMatchObject([{ address: '10.0.0.9', state: 'Quarantined' }]);
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
        problems: [{ condition: 'Allocated', reason: 'PoolExhausted', message: 'PoolExhausted.' }],
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
