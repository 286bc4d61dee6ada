import { describe, expect, it } from 'vitest';
import { formerRun } from './container-state.ts';

const NOW = Date.UTC(2026, 0, 2);
const STARTED = '2026-01-01T00:00:00Z';
const seen = {
  exitCode: 3,
  reason: 'Error',
  startedAt: STARTED,
  finishedAt: '2026-01-01T00:00:05Z',
  containerID: 'sandbox://u/c/1',
};
const ended = {
  type: 'terminated',
  exitCode: 3,
  reason: 'Error',
  startedAt: Date.parse(STARTED),
  finishedAt: Date.parse(STARTED) + 5000,
  containerId: 'sandbox://u/c/1',
};
const status = (state: object, more: object = {}) => ({
  name: 'c',
  image: 'i',
  imageID: 'i',
  containerID: 'sandbox://u/c/2',
  ready: true,
  restartCount: 2,
  state,
  ...more,
});

describe('the last run under an earlier kubelet', () => {
  it('is undefined if the container has not run', () => {
    expect(formerRun(undefined, NOW)).toBeUndefined();
    const { containerID: _none, ...waiting } = status({ waiting: { reason: 'ContainerCreating' } });
    expect(formerRun(waiting, NOW)).toBeUndefined();
  });

  it('is the terminated run in the status, also before its restart', () => {
    expect(formerRun(status({ terminated: seen }), NOW)).toEqual({ restartCount: 2, ended });
    const waiting = status({ waiting: { reason: 'CrashLoopBackOff' } }, { lastState: { terminated: seen } });
    expect(formerRun(waiting, NOW)).toEqual({ restartCount: 2, ended });
  });
});
