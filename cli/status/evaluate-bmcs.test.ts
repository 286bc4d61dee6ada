import { describe, expect, it } from 'vitest';
import type { VirtualMachine, VirtualMachineBMC } from '../../api/index.ts';
import type { Event } from '@groundcrew/controller-runtime';
import type { Inputs } from './load-inputs.ts';
import { evaluateBmcs } from './evaluate-bmcs.ts';

const TIME = '2026-11-21T10:00:00Z';

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

function condition(type: string, status: 'True' | 'False', reason: string) {
  return { type, status, reason, message: `${reason}.`, lastTransitionTime: TIME };
}

function inputs(changes: Partial<Inputs>): Inputs {
  return {
    bmcs: [],
    virtualMachines: [],
    instances: [],
    events: [],
    pools: [],
    leases: [],
    networkConfigs: [],
    notInstalled: false,
    ...changes,
  };
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
    const ailing = bmc('a', {
      conditions: [
        condition('Ready', 'False', 'SecretMissing'),
        condition('SecretAvailable', 'False', 'SecretNotFound'),
      ],
    });
    expect(evaluateBmcs(inputs({ bmcs: [ailing] }))[0]?.problems).toEqual([
      { condition: 'SecretAvailable', reason: 'SecretNotFound', message: 'SecretNotFound.' },
    ]);
  });

  it('shows a message of several conditions once', () => {
    const ailing = bmc('a', {
      conditions: [condition('ServiceReady', 'False', 'Taken'), condition('AgentReady', 'False', 'Taken')],
    });
    expect(evaluateBmcs(inputs({ bmcs: [ailing] }))[0]?.problems.map(({ condition: type }) => type)).toEqual([
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
