import { describe, expect, it } from 'vitest';
import type { Deployment, Pod } from '@groundcrew/controller-runtime';
import type { Inputs } from '../inputs.ts';
import { aBmc, aPod, children, inputs, running, secret } from '../testing/builders.ts';
import { agentReady, upToDate } from './agent.ts';

const bmc = aBmc({ generation: 2, status: { agent: { name: 'agent-1', observedGeneration: 2 } } });

describe('AgentReady', () => {
  it('is True if the active agent is Ready and has confirmed the generation', () => {
    expect(agentReady(inputs({ bmc }))).toMatchObject({ status: 'True', reason: 'AgentReady' });
  });

  it('is False while the agent uses an earlier generation', () => {
    const behind = aBmc({ generation: 3, status: { agent: { name: 'agent-1', observedGeneration: 2 } } });
    expect(agentReady(inputs({ bmc: behind }))).toMatchObject({ status: 'False', reason: 'AgentBehind' });
    const silent = aBmc({ generation: 3, status: { agent: { name: 'agent-1' } } });
    expect(agentReady(inputs({ bmc: silent })).message).toContain('generation 3');
  });

  it("repeats the kubelet's message about a pod that does not start", () => {
    const state = { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' } };
    const pod: Pod = {
      ...aPod('agent-1', bmc, { ready: false }),
      status: { containerStatuses: [{ name: 'agent', image: 'x', imageID: '', ready: false, restartCount: 0, state }] },
    };
    const result = agentReady(inputs({ bmc, pods: [pod] }));
    expect(result).toMatchObject({ status: 'False', reason: 'AgentNotReady' });
    expect(result.message).toContain('ImagePullBackOff: Back-off pulling image "x"');
  });

  it('names unsuitable credentials as the reason why a running agent does not serve', () => {
    const pods = [running(aPod('agent-1', bmc, { ready: false }))];
    const missing = { name: 'creds', generated: false, state: 'Missing' } as const;
    for (const unfit of [missing, secret('admin', 'p'.repeat(21))])
      for (const name of ['agent-1', undefined])
        expect(agentReady(inputs({ bmc: aBmc({ status: { agent: { name } } }), pods, secret: unfit }))).toEqual({
          status: 'False',
          reason: 'AgentNotReady',
          message: 'Agent agent-1 runs but cannot serve yet: see SecretAvailable.',
        });
  });

  it('distinguishes a starting agent from a running one that is not Ready', () => {
    const fresh = aBmc();
    const pod = aPod('agent-1', fresh, { ready: false });
    expect(agentReady(inputs({ bmc: fresh, pods: [pod] })).message).toBe('Agent agent-1 starts.');
    expect(agentReady(inputs({ bmc: fresh, pods: [running(pod)] })).message).toBe(
      'Agent agent-1 runs but is not ready.',
    );
  });

  it('says why a pod is not scheduled', () => {
    const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes' }];
    const pod: Pod = { ...aPod('agent-1', bmc), status: { conditions } };
    expect(agentReady(inputs({ bmc, pods: [pod] })).message).toContain('Unschedulable: 0/3 nodes');
  });

  it('says why no pod can be created', () => {
    const all = children(bmc);
    if (all.deployment.standing !== 'Ours') throw new Error('the builder makes it ours');
    const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' }];
    const object = { ...all.deployment.object, status: { conditions } };
    const given = inputs({ bmc, pods: [], children: { ...all, deployment: { standing: 'Ours', object } } });
    expect(agentReady(given).message).toContain('exceeded quota');
  });

  it('is False if the Role belongs to another owner', () => {
    const all = children(bmc);
    if (all.role.standing !== 'Ours') throw new Error('the builder makes it ours');
    const role = { standing: 'Theirs', object: all.role.object, owner: 'HelmRelease x' } as const;
    const result = agentReady(inputs({ bmc, children: { ...all, role } }));
    expect(result).toMatchObject({ status: 'False', reason: 'NotOwned' });
    expect(result.message).toContain('Role web-virtbmc already exists and belongs to HelmRelease x');
  });
});

const BMC = aBmc({ status: { agent: { name: 'agent-1', observedGeneration: 1 } } });

function withDeployment(status: Deployment['status'], given: Partial<Inputs> = {}): Inputs {
  const all = children(BMC);
  if (all.deployment.standing !== 'Ours') throw new Error('the builder makes it ours');
  const object = { ...all.deployment.object, status };
  return inputs({ bmc: BMC, children: { ...all, deployment: { standing: 'Ours', object } }, ...given });
}

describe('UpToDate', () => {
  it('is True if the active agent has the newest template and no other agent remains', () => {
    expect(upToDate(inputs({ bmc: BMC }))).toMatchObject({ status: 'True', reason: 'UpToDate' });
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
    const last = aPod('agent-1', BMC, { hash: 'old' });
    expect(upToDate(inputs({ bmc: BMC, pods: [last] })).message).toContain('until the next one is ready');
    expect(upToDate(inputs({ bmc: BMC, pods: [last, aPod('agent-2', BMC)] })).message).toContain(
      'lets its sessions end',
    );
  });

  it('reports a roll-out that makes no progress', () => {
    const conditions = [
      { type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'timed out' },
    ];
    const result = upToDate(withDeployment({ observedGeneration: 1, updatedReplicas: 0, conditions }));
    expect(result).toMatchObject({ status: 'False', reason: 'RollOutStuck' });
  });
});
