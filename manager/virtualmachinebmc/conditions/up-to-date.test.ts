import { describe, expect, it } from 'vitest';
import type { Deployment } from '@groundcrew/controller-runtime';
import type { Inputs } from '../inputs.ts';
import { aBmc } from '../testing/bmc.ts';
import { aPod, children, inputs, running } from '../testing/inputs.ts';
import { upToDate } from './up-to-date.ts';

const bmc = aBmc({ status: { agent: { name: 'agent-1', observedGeneration: 1 } } });

function withDeployment(status: Deployment['status'], given: Partial<Inputs> = {}): Inputs {
  const all = children(bmc);
  if (all.deployment.standing !== 'Ours') throw new Error('the builder makes it ours');
  const object = { ...all.deployment.object, status };
  return inputs({ bmc, children: { ...all, deployment: { standing: 'Ours', object } }, ...given });
}

describe('UpToDate', () => {
  it('is True if the active agent has the newest template and no other agent remains', () => {
    expect(upToDate(inputs({ bmc }))).toMatchObject({ status: 'True', reason: 'UpToDate' });
  });

  it('is False before the Deployment is observed and rolled out', () => {
    for (const status of [{}, { observedGeneration: 1, updatedReplicas: 0 }])
      expect(upToDate(withDeployment(status))).toMatchObject({ status: 'False', reason: 'Updating' });
  });

  it('is False before the first agent is Ready, whether it runs or not', () => {
    const fresh = aBmc();
    const pod = aPod('agent-1', fresh, { ready: false });
    expect(upToDate(inputs({ bmc: fresh, pods: [pod] })).message).toBe('The agent has not started yet.');
    expect(upToDate(inputs({ bmc: fresh, pods: [running(pod)] }))).toEqual({
      status: 'False',
      reason: 'Updating',
      message: 'Agent agent-1 runs but has not been ready yet: see AgentReady.',
    });
  });

  it('is False while the old agent is active or drains', () => {
    const last = aPod('agent-1', bmc, { hash: 'old' });
    expect(upToDate(inputs({ bmc, pods: [last] })).message).toContain('until the next one is ready');
    expect(upToDate(inputs({ bmc, pods: [last, aPod('agent-2', bmc)] })).message).toContain('lets its sessions end');
  });

  it('reports a roll-out that makes no progress', () => {
    const conditions = [
      { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'timed out' },
    ];
    const result = upToDate(withDeployment({ observedGeneration: 1, updatedReplicas: 0, conditions }));
    expect(result).toMatchObject({ status: 'False', reason: 'RollOutStuck' });
  });
});
