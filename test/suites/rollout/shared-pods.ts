import { randomInt } from 'node:crypto';
import { LABELS, sharedAgentName } from '../../../api/index.ts';
import {
  CachedWatch,
  Controller,
  LEASES,
  PODS,
  self,
  source,
  systemClock,
  timestamp,
  type Lease,
  type ObjectRef,
  type Pod,
  type Result,
} from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import type { Cluster } from '../../harness/index.ts';
import { startSharedPod, type SharedPod } from '../shared/shared-pod.ts';

const AGENT = sharedAgentName(0);
/** Milliseconds between looks at what no watch tells. */
const LOOK = 50;

/**
 * Runs the agents of the pods of one shared agent, as kubelets do: a new pod gets an agent and is Ready when that is, one that is deleted gets
 * a SIGTERM, and is gone when its agent has ended. Pod 1 is the first that acts, so that a roll-out, which begins with it, moves the Lease.
 * A pod that replaces another starts when the Lease has moved: images and containers take longer than that.
 */
export class SharedPods {
  /** What has happened: `<pod> holds`, `released`, `<pod> is ready with <image>`, `<pod> is deleted`. */
  readonly log: string[] = [];
  readonly #world: Cluster;
  readonly #namespace: string;
  readonly #network = `127.${randomInt(64, 120)}.${randomInt(256)}`;
  readonly #pods: CachedWatch<Pod>;
  /** Agents by the UID of their pod. */
  readonly #agents = new Map<string, SharedPod>();
  /** What the log has of a pod, by its UID: a pod that changes again is tended again. */
  readonly #told = new Set<string>();
  #holder = '';
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(world: Cluster, namespace: string) {
    this.#world = world;
    this.#namespace = namespace;
    const common = { client: world.client, namespace, clock: systemClock, logger: silentLogger };
    this.#pods = new CachedWatch<Pod>({ ...common, kind: PODS, labelSelector: `${LABELS.sharedAgent}=${AGENT}` });
    const leases = new CachedWatch<Lease>({ ...common, kind: LEASES, fieldSelector: `metadata.name=${AGENT}` });
    leases.subscribe(({ object }) => {
      const next = object.spec?.holderIdentity ?? '';
      if (next !== this.#holder) this.log.push(next === '' ? 'released' : `${next} holds`);
      this.#holder = next;
    });
    const { signal } = this.#stop;
    const controller = new Controller({
      name: 'kubelet',
      reconcile: async (ref) => await this.#tend(ref),
      sources: [source(this.#pods, self)],
      workers: 4,
      clock: systemClock,
      logger: silentLogger,
    });
    this.#running = Promise.all([this.#pods.run(signal), leases.run(signal), controller.run(signal)]);
  }

  /** Names of the Ready pods that do not end, with their images. */
  get ready(): Record<string, string> {
    const ready = this.#pods.list().filter((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
    return Object.fromEntries(ready.map((pod) => [pod.metadata.name, imageOf(pod)]));
  }

  /** Name and loopback address of the pod to which the Services lead. */
  get acting(): { name: string; address: string } | undefined {
    const isActing = ({ metadata }: Pod) => metadata.labels?.[LABELS.acting] === 'true';
    const pod = this.#pods.list().find((each) => isActing(each) && this.ready[each.metadata.name] !== undefined);
    const agent = this.#agents.get(pod?.metadata.uid ?? '');
    return agent === undefined ? undefined : { name: agent.name, address: agent.address };
  }

  async close(): Promise<void> {
    this.#stop.abort();
    for (const agent of this.#agents.values()) agent.stop();
    for (const agent of this.#agents.values()) await agent.close();
    await this.#running;
  }

  async #tend({ name }: ObjectRef): Promise<Result | undefined> {
    const pod = this.#pods.get({ namespace: this.#namespace, name });
    if (pod === undefined) return undefined;
    const { client } = this.#world;
    const ref = { namespace: this.#namespace, name };
    const agent = this.#agents.get(pod.metadata.uid ?? '');
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#tell(pod, 'is deleted');
      agent?.stop();
      await agent?.close();
      await client.delete(PODS, ref, { gracePeriodSeconds: 0, ...uidOf(pod) });
      return undefined;
    }
    if (agent === undefined) return await this.#start(pod);
    if (agent.agent.unready !== undefined) return { requeueAfter: LOOK };
    if (isReady(pod)) return undefined;
    this.#tell(pod, `is ready with ${imageOf(pod)}`);
    const condition = { type: 'Ready', status: 'True', lastTransitionTime: timestamp(Date.now()) };
    const status = { phase: 'Running', podIP: agent.address, hostIP: '127.0.0.1', conditions: [condition] };
    await client.patch(PODS, ref, 'merge', { status }, { subresource: 'status' });
    return undefined;
  }

  #tell({ metadata: { name, uid } }: Pod, what: string): void {
    const key = `${uid ?? ''} ${what}`;
    if (!this.#told.has(key)) this.log.push(`${name} ${what}`);
    this.#told.add(key);
  }

  async #start(pod: Pod): Promise<Result> {
    const { name } = pod.metadata;
    if (this.#holder === '' && (this.#agents.size > 0 || name.endsWith('-0'))) return { requeueAfter: LOOK };
    if (pod.spec?.nodeName === undefined) await this.#bind(name);
    // Two pods of one name may be there for a moment.
    const address = `${this.#network}.${this.#agents.size + 1}`;
    const place = { namespace: this.#namespace, agent: AGENT, name, address };
    this.#agents.set(pod.metadata.uid ?? '', await startSharedPod(this.#world, place));
    return { requeueAfter: LOOK };
  }

  /** As the scheduler does: the API server removes a pod without a node at once. */
  async #bind(name: string): Promise<void> {
    const target = { apiVersion: 'v1', kind: 'Node', name: 'node-1' };
    await this.#world.client.request({
      method: 'POST',
      path: `/api/v1/namespaces/${this.#namespace}/pods/${name}/binding`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'Binding', metadata: { name }, target }),
    });
  }
}

function isReady({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}

function imageOf({ spec }: Pod): string {
  return spec?.containers[0]?.image ?? '';
}

function uidOf({ metadata: { uid } }: Pod): { uid?: string } {
  return uid === undefined ? {} : { uid };
}
