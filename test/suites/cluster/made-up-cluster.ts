import { expect } from 'vitest';
import {
  AGENT_ROLLOUTS,
  IP_LEASES,
  IP_POOLS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
} from '../../../api/index.ts';
import {
  DEPLOYMENTS,
  keyOf,
  LEASES,
  PODS,
  refOf,
  SERVICES,
  STATEFUL_SETS,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import type { Inputs } from '../../../cli/status/inputs.ts';
import { NOW } from '../../../cli/status/testing/builders.ts';
import { eventually, type Cluster } from '../../harness/index.ts';

const LISTS = [
  ['bmcs', VIRTUAL_MACHINE_BMCS],
  ['virtualMachines', VIRTUAL_MACHINES],
  ['pools', IP_POOLS],
  ['leases', IP_LEASES],
  ['networkConfigs', VIRTUAL_MACHINE_NETWORK_CONFIGS],
  ['services', SERVICES],
  ['pods', PODS],
  ['deployments', DEPLOYMENTS],
  ['statefulSets', STATEFUL_SETS],
  ['elections', LEASES],
  ['rollouts', AGENT_ROLLOUTS],
] as const;

interface Placed {
  kind: Kind<KubeObject>;
  object: KubeObject;
  /** The object with the times of the made-up cluster. */
  text: string;
}

/** A cluster whose objects are those of inputs of `groundcrew status`, in two namespaces of its own. */
export class MadeUpCluster {
  /** Namespace of the machines. */
  readonly machines: string;
  /** Namespace of the manager. */
  readonly home: string;
  readonly #client: KubeClient;
  /** What is in the cluster, by kind, namespace and name. */
  readonly #present = new Map<string, Placed>();

  private constructor(client: KubeClient, machines: string, home: string) {
    this.#client = client;
    this.machines = machines;
    this.home = home;
  }

  static async in({ client, namespace }: Cluster): Promise<MadeUpCluster> {
    return new MadeUpCluster(client, await namespace(), await namespace());
  }

  /** The text with the namespaces of this cluster in place of those of the made-up one. */
  here(text: string): string {
    return text.replaceAll('groundcrew-system', this.home).replaceAll(/\bvms\b/g, this.machines);
  }

  /** Makes the cluster have the objects of `inputs`, but for Events. Writes only what differs. */
  async become(inputs: Inputs): Promise<void> {
    const present = this.#present;
    const wanted = new Map<string, Placed>();
    for (const [list, kind] of LISTS)
      for (const one of inputs[list]) {
        const text = this.here(JSON.stringify(one));
        // It was a KubeObject.
        const object = JSON.parse(today(text)) as KubeObject;
        wanted.set(`${kind.kind} ${keyOf(object.metadata)}`, { kind, object, text });
      }
    for (const [key, { kind, object, text }] of present) {
      // A leader renews its Lease.
      if (wanted.get(key)?.text === text && kind.kind !== LEASES.kind) continue;
      await this.#client.delete(kind, refOf(object), { gracePeriodSeconds: 0 });
      await eventually(async () => {
        expect(await this.#client.find(kind, refOf(object))).toBeUndefined();
      });
      present.delete(key);
    }
    for (const [key, placed] of wanted) {
      if (present.has(key)) continue;
      await this.#create(placed);
      present.set(key, placed);
    }
  }

  async #create({ kind, object }: Placed): Promise<void> {
    const { status, ...draft } = object as KubeObject & {
      status?: object;
      spec?: { clusterIP?: string; renewTime?: string };
    };
    delete draft.spec?.clusterIP;
    // core/v1 MicroTime has six digits.
    if (draft.spec?.renewTime !== undefined) draft.spec.renewTime = draft.spec.renewTime.replace('Z', '000Z');
    const { namespace, name, labels, annotations } = object.metadata;
    const metadata = { namespace, name, labels, annotations };
    await this.#client.create(kind, { ...draft, metadata });
    // The manager has seen generation 2, or 1.
    if (kind.kind === VIRTUAL_MACHINE_BMCS.kind)
      await this.#client.patch(kind, refOf(object), 'merge', { spec: { redfish: { legacyProperties: false } } });
    if (status !== undefined)
      await this.#client.patch(kind, refOf(object), 'merge', { status }, { subresource: 'status' });
  }
}

/** Times, so that what was a minute ago then is a minute ago now. */
function today(text: string): string {
  // The API server tells its time in whole seconds, so that it may be a second behind.
  const later = Date.now() - NOW - 1_000;
  return text.replaceAll(/"(\d{4}-\d\d-\d\dT[\d:.]+Z)"/g, (_, time: string) =>
    JSON.stringify(new Date(Date.parse(time) + later).toISOString()),
  );
}
