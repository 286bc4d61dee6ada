import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubeClient, type Logger } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { aVmi } from '../testing/builders.ts';
import { LauncherUsage } from './launcher-usage.ts';

/** ms */
const PERIOD = 30_000;

function pod(usage: { cpu?: string; memory?: string }, container = 'compute'): object {
  return { metadata: { name: 'virt-launcher-a-x', namespace: 'vms' }, containers: [{ name: container, usage }] };
}

describe('LauncherUsage', () => {
  let clock: FakeClock;
  let api: ScriptedApi;
  let vmi: ReturnType<typeof aVmi> | undefined;
  let answer: { status: number; body: unknown };
  let warnings: string[];
  let usage: LauncherUsage;
  let stop: AbortController;
  let ended: Promise<void>;

  beforeEach(async () => {
    clock = new FakeClock();
    api = new ScriptedApi();
    vmi = aVmi();
    warnings = [];
    says({ cpu: '250m', memory: '1Gi' });
    api.intercept = () => answer;
    const logger: Logger = { ...silentLogger, warn: (_fields, message) => void warnings.push(message) };
    const client = new KubeClient({ transport: api, fieldManager: 'test' });
    usage = new LauncherUsage({ client, machine: { namespace: 'vms', name: 'a' }, vmi: () => vmi, clock, logger });
    stop = new AbortController();
    ended = usage.run(stop.signal);
    await clock.advance(0);
  });

  afterEach(async () => {
    stop.abort();
    await ended;
  });

  function says(...pods: Parameters<typeof pod>[0][]): void {
    answer = { status: 200, body: { metadata: {}, items: pods.map((figures) => pod(figures)) } };
  }

  it('reads the usage of the pod of the VMI periodically', async () => {
    expect(usage.current).toEqual({ cpus: 0.25, memoryBytes: 2 ** 30 });
    says({ cpu: '500m', memory: '2Gi' });
    await clock.advance(PERIOD);
    expect(usage.current).toEqual({ cpus: 0.5, memoryBytes: 2 ** 31 });
    expect(new Set(api.requests)).toEqual(
      new Set(['GET /apis/metrics.k8s.io/v1beta1/namespaces/vms/pods?labelSelector=kubevirt.io%2Fcreated-by%3Dvmi-1']),
    );
  });

  it('is undefined for another VMI, and without a VMI', async () => {
    vmi = aVmi({ uid: 'vmi-2' });
    expect(usage.current).toBeUndefined();
    vmi = undefined;
    expect(usage.current).toBeUndefined();
    await clock.advance(PERIOD);
    expect(api.requests).toHaveLength(1);
  });

  it('is undefined with two pods, no pod, or a pod without a measurement', async () => {
    says({ cpu: '1', memory: '1Gi' }, { cpu: '2', memory: '1Gi' });
    await clock.advance(PERIOD);
    expect(usage.current).toBeUndefined();
    says();
    await clock.advance(PERIOD);
    expect(usage.current).toBeUndefined();
    says({ cpu: '1' });
    await clock.advance(PERIOD);
    expect(usage.current).toBeUndefined();
    answer = { status: 200, body: { metadata: {}, items: [pod({ cpu: '1', memory: '1Gi' }, 'guest-console-log')] } };
    await clock.advance(PERIOD);
    expect(usage.current).toBeUndefined();
  });

  it('keeps its value for a while if metrics.k8s.io does not answer, and logs that once', async () => {
    answer = { status: 503, body: { kind: 'Status', status: 'Failure', message: 'no endpoints', code: 503 } };
    await clock.advance(PERIOD);
    expect(usage.current).toEqual({ cpus: 0.25, memoryBytes: 2 ** 30 });
    for (let period = 0; period < 3; period += 1) await clock.advance(PERIOD);
    expect(usage.current).toBeUndefined();
    expect(warnings).toHaveLength(1);
  });
});
