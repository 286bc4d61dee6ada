import { describe, expect, it } from 'vitest';
import type { Deployment, Pod } from '@groundcrew/controller-runtime';
import { agentState } from './agent-state.ts';

const HASH = 'example.com/hash';
const DEPLOYMENT: Deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: { selector: {}, template: { metadata: { annotations: { [HASH]: 'new' } } } },
};

function aPod(status: Pod['status'], hash = 'new', deletionTimestamp?: string): Pod {
  const deleted = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a-1', annotations: { [HASH]: hash }, ...deleted },
    status,
  };
}
const ready = { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '1970-01-01T00:00:05Z' }] };
const waiting = (reason: string) => ({
  containerStatuses: [
    {
      name: 'agent',
      image: '',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { waiting: { reason, message: 'why' } },
    },
  ],
});
const state = (...pods: Pod[]) => agentState(DEPLOYMENT, pods, HASH);

describe('the state of an agent', () => {
  it('is that of its newest pod, while the one before serves', () => {
    expect(state(aPod(ready, 'old'), aPod(waiting('ImagePullBackOff')))).toEqual({
      isReady: true,
      readySince: undefined,
      trouble: { reason: 'ImagePullBackOff', message: 'Pod a-1: ImagePullBackOff: why', isHard: true },
    });
    expect(state(aPod(ready))).toMatchObject({ isReady: true, readySince: 5000, trouble: { reason: '' } });
  });

  it.each([
    [waiting('CrashLoopBackOff'), 'CrashLoopBackOff', true],
    [waiting('ContainerCreating'), 'ContainerCreating', false],
    [{ conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] }, 'Unschedulable', false],
    [{}, 'NotReady', false],
  ])('names its trouble: %j is %s', (status, reason, isHard) => {
    expect(state(aPod(status)).trouble).toMatchObject({ reason, isHard });
  });

  it('is Ready with its newest template when all its replicas are, as those of a shared agent', () => {
    const two = { ...DEPLOYMENT, spec: { selector: {}, ...DEPLOYMENT.spec, replicas: 2 } } as Deployment;
    const second = aPod({
      conditions: [
        { ...ready.conditions[0], type: 'Ready', status: 'True', lastTransitionTime: '1970-01-01T00:00:09Z' },
      ],
    });
    expect(agentState(two, [aPod(ready), second], HASH)).toMatchObject({ isReady: true, readySince: 9000 });
    expect(agentState(two, [aPod(ready), aPod(waiting('ImagePullBackOff'))], HASH)).toMatchObject({
      isReady: true,
      readySince: undefined,
      trouble: { reason: 'ImagePullBackOff' },
    });
  });

  it('does not count pods that end, and names a pod that cannot be made', () => {
    const conditions = [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' }];
    const refused = { ...DEPLOYMENT, status: { conditions } };
    expect(agentState(refused, [aPod(ready, 'new', '2026-01-01T00:00:00Z')], HASH)).toEqual({
      isReady: false,
      readySince: undefined,
      trouble: { reason: 'FailedCreate', message: 'exceeded quota', isHard: false },
    });
  });
});
