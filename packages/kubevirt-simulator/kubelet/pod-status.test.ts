import { describe, expect, it } from 'vitest';
import type { Pod } from '@groundcrew/controller-runtime';
import type { ContainerView } from './container-state.ts';
import { podStatusOf, type PodStatus } from './pod-status.ts';

const POD: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-0', namespace: 'default' },
  spec: { containers: [] },
};

function view(change: Partial<ContainerView> = {}): ContainerView {
  return {
    name: 'agent',
    image: 'groundcrew',
    containerId: 'sandbox://u/agent/0',
    state: { type: 'running', startedAt: 1000 },
    lastState: undefined,
    restartCount: 0,
    started: true,
    ready: true,
    done: false,
    ...change,
  };
}

function statusOf(containers: ContainerView[], pod = POD, now = 5000): PodStatus {
  return podStatusOf({ pod, containers, podIp: '127.64.0.1', hostIp: '127.0.0.1', seenAt: 0, now });
}

const ended = {
  type: 'terminated' as const,
  reason: 'Error',
  startedAt: 1000,
  finishedAt: 2000,
  containerId: 'sandbox://u/agent/0',
};

describe('the status of a pod', () => {
  it('is Running and Ready if all containers are', () => {
    const status = statusOf([view()]);
    expect(status).toMatchObject({
      phase: 'Running',
      podIP: '127.64.0.1',
      podIPs: [{ ip: '127.64.0.1' }],
      hostIP: '127.0.0.1',
    });
    expect(status.conditions?.every(({ status: value }) => value === 'True')).toBe(true);
    expect(status.containerStatuses).toMatchObject([
      { state: { running: { startedAt: '1970-01-01T00:00:01Z' } }, ready: true },
    ]);
  });

  it('names the containers that are not ready', () => {
    const ready = statusOf([view({ ready: false })]).conditions?.find(({ type }) => type === 'Ready');
    expect(ready).toMatchObject({
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [agent]',
    });
  });

  it('is Pending until each container was started', () => {
    const waiting = view({ state: { type: 'waiting', reason: 'ErrImagePull' }, containerId: undefined, ready: false });
    expect(statusOf([view(), waiting]).phase).toBe('Pending');
  });

  it('is Running while a crashed container waits for its restart', () => {
    const crashed = view({
      state: { type: 'waiting', reason: 'CrashLoopBackOff' },
      lastState: { ...ended, exitCode: 137 },
      restartCount: 1,
    });
    const status = statusOf([crashed]);
    expect(status.phase).toBe('Running');
    expect(status.containerStatuses).toMatchObject([{ restartCount: 1, lastState: { terminated: { exitCode: 137 } } }]);
  });

  it('is Succeeded or Failed when all containers are done', () => {
    expect(statusOf([view({ state: { ...ended, exitCode: 0 }, done: true })]).phase).toBe('Succeeded');
    expect(statusOf([view({ state: { ...ended, exitCode: 1 }, done: true })]).phase).toBe('Failed');
  });

  it('keeps the time of a condition that has not changed', () => {
    const first = statusOf([view()], POD, 5000);
    const second = statusOf([view({ ready: false })], { ...POD, status: first }, 9000);
    const timeOf = (type: string): unknown =>
      second.conditions?.find((condition) => condition.type === type)?.lastTransitionTime;
    expect(timeOf('PodScheduled')).toBe('1970-01-01T00:00:05Z');
    expect(timeOf('Ready')).toBe('1970-01-01T00:00:09Z');
  });
});
