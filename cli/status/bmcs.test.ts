import { describe, expect, it } from 'vitest';
import { BmcJudge } from './bmcs.ts';
import { evaluate } from './evaluate.ts';
import type { Inputs } from './inputs.ts';
import { aService, aBmc, aCluster, anEvent, bmcAgent, condition, secondsAgo } from './testing/builders.ts';

const rowsOf = (inputs: Inputs) => evaluate(inputs).bmcs;
/** Reasons of the problems of BMCs. */
const reasonsOf = (inputs: Inputs) =>
  evaluate(inputs)
    .problems.filter(({ kind }) => kind === 'VirtualMachineBMC')
    .map(({ reason }) => reason);

describe('the rows of BMCs', () => {
  it('shows a BMC with its machine, its agent and its endpoints', () => {
    expect(rowsOf(aCluster())).toEqual([
      {
        ...{ namespace: 'vms', name: 'web', virtualMachine: 'web', power: 'Off', phase: 'Ready' },
        ...{ ipmi: '10.0.0.1:623', redfish: 'https://10.0.0.1' },
        ...{ agent: 'web-virtbmc-x', agentState: 'Ready', restarts: 0 },
      },
    ]);
  });

  it('shows that a VM is missing, or that it is not known', () => {
    const power = (changes: Parameters<typeof aCluster>[0]) => rowsOf(aCluster(changes))[0]?.power;
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
    expect(rowsOf(aCluster({ events }))[0]?.lastAction).toEqual({
      time: '2026-11-21T11:00:00Z',
      reason: 'PowerOffRefused',
      message: 'by admin',
    });
  });

  it('sorts by namespace and name', () => {
    const bmcs = [aBmc('web'), aBmc('db')];
    expect(rowsOf(aCluster({ bmcs })).map(({ name }) => name)).toEqual(['db', 'web']);
  });
});

describe('the problems of BMCs', () => {
  it('lists the conditions that cause Ready=False, each message once, without Ready itself', () => {
    const bmc = aBmc('web', {
      conditions: [
        condition('Ready', 'False', 'Taken'),
        condition('ServiceReady', 'False', 'Taken'),
        condition('SecretAvailable', 'False', 'Taken'),
      ],
    });
    expect(reasonsOf(aCluster({ bmcs: [bmc] }))).toEqual(['Taken']);
  });

  it('omits a pod that starts or has ended while another serves', () => {
    const next = (status: Parameters<typeof bmcAgent>[0], creationTimestamp: string) => {
      const pod = bmcAgent(status);
      return { ...pod, metadata: { ...pod.metadata, name: 'web-virtbmc-y', creationTimestamp } };
    };
    const starting = next({ conditions: [], containerStatuses: [] }, secondsAgo(5));
    const evicted = next({ phase: 'Failed', reason: 'Evicted' }, secondsAgo(500));
    const problems = (...pods: ReturnType<typeof bmcAgent>[]) => reasonsOf(aCluster({ pods }));
    expect(problems(bmcAgent(), starting, evicted)).toEqual([]);
    expect(problems(starting)).toEqual([]);
    expect(problems(evicted)).toEqual(['Evicted']);
  });

  it('expects no agent of a second BMC of a machine', () => {
    const taken = [condition('VirtualMachineAvailable', 'False', 'VirtualMachineTaken')];
    const bmcs = [aBmc('web', { conditions: taken })];
    expect(reasonsOf(aCluster({ bmcs, pods: [] }))).toEqual(['VirtualMachineTaken']);
  });
});

describe('BmcJudge', () => {
  it('judges again only BMCs with objects that have changed', () => {
    const inputs = aCluster({
      bmcs: [aBmc('web'), aBmc('db')],
      pods: [bmcAgent(), bmcAgent({}, 'db')],
      services: [aService('web'), aService('db')],
    });
    const judge = new BmcJudge();
    const [db, web] = judge.judge(inputs);
    const later = { ...inputs, now: inputs.now + 3_600_000 };
    const again = judge.judge({
      ...later,
      pods: [inputs.pods[0], bmcAgent({}, 'db')].filter((pod) => pod !== undefined),
    });
    expect([again[0] === db, again[1] === web]).toEqual([false, true]);
    expect(again[0]).toMatchObject({ row: db?.row, troubles: [] });
  });

  it('judges again when the time has passed on which a verdict depends', () => {
    const pod = bmcAgent({ conditions: [], containerStatuses: [] });
    const inputs = aCluster({
      pods: [{ ...pod, metadata: { ...pod.metadata, creationTimestamp: secondsAgo(5) } }],
    });
    const judge = new BmcJudge();
    expect(judge.judge(inputs)).toMatchObject([{ row: { agentState: 'Starting' }, troubles: [] }]);
    const [late] = judge.judge({ ...inputs, now: inputs.now + 60_000 });
    expect(late?.troubles).toMatchObject([{ reason: 'Starting' }]);
  });

  it('judges all again when a kind can be read no more', () => {
    const inputs = aCluster({ virtualMachines: [] });
    const judge = new BmcJudge();
    expect(judge.judge(inputs)[0]?.row.power).toBe('missing');
    const unread = [{ kind: 'VirtualMachine', reason: 'Forbidden', message: '' } as const];
    expect(judge.judge({ ...inputs, unread })[0]?.row.power).toBe('?');
  });
});
