import { describe, expect, it } from 'vitest';
import { bmcProblems, evaluateBmcs } from './bmcs.ts';
import { aBmc, aCluster, anEvent, bmcAgent, condition, secondsAgo } from './testing/builders.ts';

describe('evaluateBmcs', () => {
  it('shows a BMC with its machine, its agent and its endpoints', () => {
    expect(evaluateBmcs(aCluster())).toEqual([
      {
        ...{ namespace: 'vms', name: 'web', virtualMachine: 'web', power: 'Off', phase: 'Ready' },
        ...{ ipmi: '10.0.0.1:623', redfish: 'https://10.0.0.1' },
        ...{ agent: 'web-virtbmc-x', agentState: 'Ready', restarts: 0 },
      },
    ]);
  });

  it('shows that a VM is missing, or that it is not known', () => {
    const power = (changes: Parameters<typeof aCluster>[0]) => evaluateBmcs(aCluster(changes))[0]?.power;
    expect(power({ virtualMachines: [] })).toBe('missing');
    const unread = [{ kind: 'VirtualMachine', reason: 'Forbidden', message: '' } as const];
    expect(power({ virtualMachines: [], unread })).toBe('?');
    expect(power({ virtualMachines: [], absent: ['VirtualMachine'] })).toBe('?');
  });

  it('shows only the last action that a client requested from this BMC', () => {
    const events = [
      anEvent('uid-web', '2026-11-21T10:00:00Z', 'PowerOn'),
      anEvent('uid-web', '2026-11-21T11:00:00Z', 'PowerOffRefused'),
      anEvent('uid-db', '2026-11-21T12:00:00Z', 'PowerCycle'),
      anEvent('uid-web', '2026-11-21T13:00:00Z', 'BootOrderRestored'),
    ];
    expect(evaluateBmcs(aCluster({ events }))[0]?.lastAction).toEqual({
      time: '2026-11-21T11:00:00Z',
      reason: 'PowerOffRefused',
      message: 'by admin',
    });
  });

  it('sorts by namespace and name', () => {
    const bmcs = [aBmc('web'), aBmc('db')];
    expect(evaluateBmcs(aCluster({ bmcs })).map(({ name }) => name)).toEqual(['db', 'web']);
  });
});

describe('bmcProblems', () => {
  it('lists the conditions that cause Ready=False, each message once, without Ready itself', () => {
    const bmc = aBmc('web', {
      conditions: [
        condition('Ready', 'False', 'Taken'),
        condition('ServiceReady', 'False', 'Taken'),
        condition('SecretAvailable', 'False', 'Taken'),
      ],
    });
    expect(bmcProblems(aCluster({ bmcs: [bmc] })).map(({ reason }) => reason)).toEqual(['Taken']);
  });

  it('omits a pod that starts or has ended while another serves', () => {
    const next = (status: Parameters<typeof bmcAgent>[0], creationTimestamp: string) => {
      const pod = bmcAgent(status);
      return { ...pod, metadata: { ...pod.metadata, name: 'web-virtbmc-y', creationTimestamp } };
    };
    const starting = next({ conditions: [], containerStatuses: [] }, secondsAgo(5));
    const evicted = next({ phase: 'Failed', reason: 'Evicted' }, secondsAgo(500));
    const problems = (...pods: ReturnType<typeof bmcAgent>[]) =>
      bmcProblems(aCluster({ pods })).map(({ reason }) => reason);
    expect(problems(bmcAgent(), starting, evicted)).toEqual([]);
    expect(problems(starting)).toEqual(['Starting']);
    expect(problems(evicted)).toEqual(['Evicted']);
  });

  it('expects no agent of a second BMC of a machine', () => {
    const taken = [condition('VirtualMachineAvailable', 'False', 'VirtualMachineTaken')];
    const bmcs = [aBmc('web', { conditions: taken })];
    expect(bmcProblems(aCluster({ bmcs, pods: [] })).map(({ reason }) => reason)).toEqual(['VirtualMachineTaken']);
  });
});
