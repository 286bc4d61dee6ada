import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { LABELS, sharedAgentIndex, VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../api/index.ts';
import {
  ApiError,
  CachedWatch,
  PODS,
  SECRETS,
  systemClock,
  timestamp,
  type Draft,
  type KubeClient,
  type KubeObject,
  type Pod,
  type Secret,
} from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { inTurn } from './in-turn.ts';

const INTERVAL = 50;
/** Pods and BMCs that are tended at the same time. */
const AT_ONCE = 8;

/** Status of a pod with a running container. */
const RUNNING = {
  phase: 'Running',
  containerStatuses: [
    {
      name: 'agent',
      image: 'groundcrew',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { running: { startedAt: '2026-01-01T00:00:00Z' } },
    },
  ],
};

export interface Agents {
  /** Whether a pod is Ready; may change at any time. Default: all are. */
  answers: (pod: Pod) => boolean;
  /** Whether containers run in pods that are not Ready; default false. */
  running: boolean;
  /** Why the container of a pod that is not Ready does not run, such as ImagePullBackOff; undefined: it does, or starts. */
  waits: (pod: Pod) => string | undefined;
  /** Whether agents of BMCs confirm the generation; default true. */
  confirming: boolean;
}

/**
 * Simulates kubelet and agents in one namespace until the end of the test: sets the readiness of pods, ends deleted
 * pods, and confirms generations.
 */
export function standInForAgents(client: KubeClient, namespace: string): Agents {
  const stop = new AbortController();
  const agents: Agents = { answers: () => true, running: false, waits: () => undefined, confirming: true };
  const ways = { client, namespace, clock: systemClock, logger: silentLogger };
  const world: World = {
    ...{ client, agents, done: new Map() },
    pods: new CachedWatch({ ...ways, kind: PODS }),
    bmcs: new CachedWatch({ ...ways, kind: VIRTUAL_MACHINE_BMCS }),
    members: new CachedWatch({ ...ways, kind: SECRETS, labelSelector: LABELS.sharedAgent }),
  };
  const tending = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await tendAll(world).catch(unlessPassing);
      await sleep(INTERVAL);
    }
  };
  const { pods, bmcs, members } = world;
  const running = Promise.all([pods, bmcs, members].map((each) => each.run(stop.signal)).concat(tending()));
  onTestFinished(async () => {
    stop.abort();
    await running;
  });
  return agents;
}

interface World {
  client: KubeClient;
  agents: Agents;
  pods: CachedWatch<Pod>;
  bmcs: CachedWatch<VirtualMachineBMC>;
  members: CachedWatch<Secret>;
  /** The last version of each object, by UID, for which something was written. */
  done: Map<string, string>;
}

async function tendAll(world: World): Promise<void> {
  const { client, agents, done } = world;
  const pods = world.pods.list();
  /** Does `work` for the objects that have changed since it wrote something for them. */
  const each = async <T extends KubeObject>(objects: readonly T[], work: (object: T) => Promise<boolean>) => {
    await inTurn(objects, AT_ONCE, async (object) => {
      const { uid = '', resourceVersion = '' } = object.metadata;
      if (done.get(uid) === resourceVersion) return;
      if (await work(object).catch(unlessPassing)) done.set(uid, resourceVersion);
    });
  };
  await each(pods, (pod) => tendPod(client, pod, agents));
  await electPods(client, pods).catch(unlessPassing);
  if (!agents.confirming) return;
  const shared = new Map(
    world.members.list().flatMap(({ metadata, data }) => Object.keys(data ?? {}).map((name) => [name, metadata.name])),
  );
  await each(world.bmcs.list(), (bmc) => confirm(client, bmc, shared.get(bmc.metadata.name)));
}

/** Has one Ready pod of each shared agent act, and keeps it as long as it is Ready. */
async function electPods(client: KubeClient, pods: readonly Pod[]): Promise<void> {
  const agentOf = ({ metadata }: Pod) => metadata.labels?.[LABELS.sharedAgent];
  const acts = ({ metadata }: Pod) => metadata.labels?.[LABELS.acting] === 'true';
  const isFit = (pod: Pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined;
  for (const agent of new Set(pods.flatMap((pod) => agentOf(pod) ?? []))) {
    const own = pods.filter((pod) => agentOf(pod) === agent);
    const acting = own.find((pod) => acts(pod) && isFit(pod)) ?? own.find(isFit);
    for (const pod of own) {
      if (acting === undefined || acts(pod) === (pod === acting)) continue;
      const labels = { [LABELS.acting]: pod === acting ? 'true' : null };
      const { namespace = '', name } = pod.metadata;
      await client.patch(PODS, { namespace, name }, 'merge', { metadata: { labels } });
    }
  }
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

/** @returns whether it has written something */
async function tendPod(client: KubeClient, pod: Pod, agents: Agents): Promise<boolean> {
  const { metadata, status } = pod;
  const ref = { namespace: metadata.namespace ?? '', name: metadata.name };
  if (metadata.deletionTimestamp !== undefined) {
    await client.delete(PODS, ref, { gracePeriodSeconds: 0 });
    return true;
  }
  const answers = agents.answers(pod);
  if (isReady(pod) !== answers) {
    const condition = { type: 'Ready', status: answers ? 'True' : 'False', lastTransitionTime: timestamp(Date.now()) };
    const next = { phase: 'Running', hostIP: '127.0.0.1', podIP: '127.64.0.9', conditions: [condition] };
    await client.patch(PODS, ref, 'merge', { status: next }, { subresource: 'status' });
  } else if (!isReady(pod) && agents.waits(pod) !== undefined && status?.containerStatuses === undefined) {
    const state = { waiting: { reason: agents.waits(pod) ?? '', message: 'Back-off pulling image' } };
    const containerStatuses = RUNNING.containerStatuses.map((each) => ({ ...each, state }));
    await client.patch(PODS, ref, 'merge', { status: { containerStatuses } }, { subresource: 'status' });
  } else if (!isReady(pod) && agents.running && status?.containerStatuses === undefined) {
    await client.patch(PODS, ref, 'merge', { status: RUNNING }, { subresource: 'status' });
  } else return false;
  return true;
}

/**
 * Confirms the generation as an agent that has applied the current spec.
 *
 * @param member the shared agent that has been told of the BMC; it acts for a BMC without a name in its status, too
 * @returns whether it has written something
 */
async function confirm(
  client: KubeClient,
  { metadata, status }: VirtualMachineBMC,
  member: string | undefined,
): Promise<boolean> {
  const { generation } = metadata;
  const { name = member, observedGeneration } = status?.agent ?? {};
  const isShared = name !== undefined && sharedAgentIndex(name) !== undefined;
  if (name === undefined || (isShared && name !== member) || observedGeneration === generation) return false;
  const draft = {
    metadata: { namespace: metadata.namespace ?? '', name: metadata.name },
    status: { agent: { observedGeneration: generation } },
  } as unknown as Draft<VirtualMachineBMC>; // an apply to the status has no spec
  await client.apply(VIRTUAL_MACHINE_BMCS, draft, {
    subresource: 'status',
    fieldManager: 'groundcrew-agent-bmc',
    force: true,
  });
  return true;
}

/**
 * Ignores errors of objects that were deleted or changed since they were read, and of kinds whose CRD has just changed.
 */
function unlessPassing(error: unknown): void {
  if (!(error instanceof ApiError) || ![404, 409, 429].includes(error.status)) throw error;
}
