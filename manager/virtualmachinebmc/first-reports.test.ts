import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../api/index.ts';
import type { Inputs } from './inputs.ts';
import { statusOf } from './conditions/status.ts';
import { FirstReports } from './first-reports.ts';
import { aBmc, aPod, inputs, running } from './testing/builders.ts';

const NEW = aBmc();
const starting = aPod('agent-1', NEW, { ready: false });

/** The BMC with the status that these inputs give it. */
const reported = (given: Inputs, generation?: number): VirtualMachineBMC => {
  const { agent, ...status } = statusOf(given, 0);
  const confirmed = generation === undefined ? {} : { observedGeneration: generation };
  return { ...given.bmc, status: { ...status, agent: { ...agent, ...confirmed } } };
};
const patienceOf = (given: Inputs, reports = new FirstReports(), now = 0) =>
  reports.patience(given, statusOf(given, 1000), now);

describe('the status of a new BMC with an agent of its own', () => {
  const named = reported(inputs({ bmc: NEW, pods: [starting] }));

  it('waits a moment for the pod of the agent, and names it', () => {
    const withoutPod = inputs({ bmc: NEW, pods: [] });
    const reports = new FirstReports();
    expect(patienceOf(withoutPod, reports)).toBe(1000);
    expect(patienceOf(withoutPod, reports, 1000)).toBeUndefined();
    const withPod = inputs({ bmc: NEW, pods: [starting] });
    expect(patienceOf(withPod)).toBeUndefined();
    expect(statusOf(withPod, 0).agent?.name).toBe('agent-1');
  });

  it('is not written while the agent starts as it should, up to a limit', () => {
    const steps = [
      inputs({ bmc: named, pods: [running(starting)] }),
      inputs({ bmc: named, pods: [aPod('agent-1', NEW)] }),
      inputs({ bmc: reported(inputs({ bmc: NEW, pods: [starting] }), 1), pods: [running(starting)] }),
    ];
    const reports = new FirstReports();
    for (const [at, step] of steps.entries()) expect(patienceOf(step, reports, at)).toBe(10_000 - at);
    for (const step of steps) expect(patienceOf(step, reports, 10_000)).toBeUndefined();
  });

  it('is written when the agent is Ready and has confirmed the spec', () => {
    const confirmed = reported(inputs({ bmc: NEW, pods: [starting] }), 1);
    const ready = inputs({ bmc: confirmed, pods: [aPod('agent-1', NEW)] });
    expect(statusOf(ready, 0).phase).toBe('Ready');
    expect(patienceOf(ready)).toBeUndefined();
  });

  it('is written when something else is wrong', () => {
    const waiting = (reason: string) => {
      const state = { waiting: { reason, message: '' } };
      const [status] = running(starting).status?.containerStatuses ?? [];
      if (status === undefined) throw new Error('no container');
      return { ...starting, status: { ...starting.status, containerStatuses: [{ ...status, state }] } };
    };
    const pods = [running(starting)];
    expect(patienceOf(inputs({ bmc: named, pods: [waiting('ContainerCreating')] }))).toBe(10_000);
    for (const given of [
      { pods: [waiting('ImagePullBackOff')] },
      { pods, virtualMachine: 'Missing' as const },
      { pods: [aPod('another', NEW)] },
    ])
      expect(patienceOf(inputs({ bmc: named, ...given }))).toBeUndefined();
  });

  it('is written at once of a BMC that has been Ready', () => {
    const ready = { ...named, status: { ...named.status, phase: 'Ready' as const } };
    expect(patienceOf(inputs({ bmc: ready, pods: [running(starting)] }))).toBeUndefined();
  });
});

it('the status of a BMC stays as it is until the manager knows what its shared agent shows', () => {
  const assignment = { agent: 'virtbmc-shared-0', slot: 0 };
  const agent = { problem: undefined, outdated: undefined, image: 'groundcrew' };
  const placement = { wanted: 'Shared', assignment, agent, isTold: true } as const;
  const bmc = { ...NEW, status: { phase: 'Ready', agent: { name: assignment.agent, image: 'groundcrew' } } } as const;
  const unknown = { ...placement, agent: undefined };
  expect(patienceOf(inputs({ bmc, pods: [], placement: unknown }))).toBe(20_000);
  expect(patienceOf(inputs({ bmc, pods: [], placement }))).toBeUndefined();
  // It moves to the agent, which is still to be made.
  const own = { ...NEW, status: { phase: 'Ready', agent: { name: 'agent-1' } } } as const;
  expect(patienceOf(inputs({ bmc: own, placement: unknown }))).toBeUndefined();
});
