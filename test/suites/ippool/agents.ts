import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { timestamp, ApiError, PODS, type KubeClient, type Pod } from '@groundcrew/controller-runtime';

const INTERVAL = 50;

export interface Agents {
  /** Whether a pod answers; may change at any time. Default: all do. */
  answers: (pod: Pod) => boolean;
}

/** Simulates kubelet and agents in one namespace: sets the readiness of pods and ends deleted ones. */
export function standInForAgents(client: KubeClient, namespace: string): Agents {
  const agents: Agents = { answers: () => true };
  const stop = new AbortController();
  const running = (async () => {
    while (!stop.signal.aborted) {
      const { items } = await client.list(PODS, { namespace });
      for (const pod of items) await tend(client, pod, agents).catch(unlessPassing);
      await sleep(INTERVAL);
    }
  })();
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return agents;
}

async function tend(client: KubeClient, pod: Pod, agents: Agents): Promise<void> {
  const { metadata, status } = pod;
  const ref = { namespace: metadata.namespace ?? '', name: metadata.name };
  if (metadata.deletionTimestamp !== undefined) {
    await client.delete(PODS, ref, { gracePeriodSeconds: 0 });
    return;
  }
  const isReady = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  const answers = agents.answers(pod);
  if (isReady === answers) return;
  const condition = { type: 'Ready', status: answers ? 'True' : 'False', lastTransitionTime: timestamp(Date.now()) };
  const next = { phase: 'Running', conditions: [condition] };
  await client.patch(PODS, ref, 'merge', { status: next }, { subresource: 'status' });
}

/** Ignores errors of objects that were deleted or changed since they were read. */
function unlessPassing(error: unknown): void {
  if (!(error instanceof ApiError) || ![404, 409, 429].includes(error.status)) throw error;
}
