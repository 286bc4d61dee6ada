import {
  agentName,
  LABELS,
  VIRTUAL_MACHINE_BMCS,
  type Condition,
  type VirtualMachineBMC,
  type VirtualMachineBMCStatus,
} from '../../../api/index.ts';
import {
  DEPLOYMENTS,
  isAlreadyExists,
  isLostRace,
  isNotFound,
  SERVICES,
  timestamp,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';

const PORTS = [{ name: 'redfish', protocol: 'TCP', port: 80, targetPort: 'redfish' }];

/**
 * Writes for the BMCs of a namespace what KubeVirtBMC writes, according to its code at 41c8c76d: Deployment and Service, the ports of a
 * Service that exists, and after each change of one of them the whole status, with only the fields that it knows. Its apply of an
 * existing Deployment of ours is left out: the API server refuses it, because the selector differs and cannot be changed.
 */
export class KubeVirtBmc {
  /** Writes of statuses and Services that changed them. */
  writes = 0;
  readonly #client: KubeClient;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(client: KubeClient, namespace: string) {
    this.#client = client;
    const named = (name: string) => this.#reconcile({ namespace, name });
    const owned = async ({ metadata }: KubeObject) => {
      const owner = metadata.ownerReferences?.find(({ kind }) => kind === VIRTUAL_MACHINE_BMCS.kind);
      if (owner !== undefined) await named(owner.name);
    };
    this.#running = Promise.all([
      this.#follow(VIRTUAL_MACHINE_BMCS, namespace, ({ metadata }) => named(metadata.name)),
      this.#follow(SERVICES, namespace, owned),
      this.#follow(DEPLOYMENTS, namespace, owned),
    ]);
  }

  /** Its Deployments and Services stay. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #follow<T extends KubeObject>(
    kind: Kind<T>,
    namespace: string,
    reconcile: (object: T) => Promise<void>,
  ): Promise<void> {
    const { signal } = this.#stop;
    const { items, metadata } = await this.#client.list(kind, { namespace });
    for (const object of items) await reconcile(object);
    const { resourceVersion } = metadata;
    try {
      for await (const event of this.#client.watch(kind, { namespace, resourceVersion, timeoutSeconds: 60, signal })) {
        if (event.type !== 'BOOKMARK' && event.type !== 'ERROR') await reconcile(event.object);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #reconcile(ref: { namespace: string; name: string }): Promise<void> {
    try {
      const bmc = await this.#client.find(VIRTUAL_MACHINE_BMCS, ref);
      if (bmc === undefined) return;
      await this.#create(bmc);
      await this.#setPorts(bmc);
      await this.#report(bmc);
    } catch (error) {
      // The next change is in a watch.
      if (!isLostRace(error) && !isAlreadyExists(error) && !isNotFound(error)) throw error;
    }
  }

  async #create({ metadata, spec }: VirtualMachineBMC): Promise<void> {
    const { namespace = '', name, uid = '' } = metadata;
    const ref = { namespace, name: agentName(spec.virtualMachineRef.name) };
    const labels = { [LABELS.bmc]: name, [LABELS.virtualMachine]: spec.virtualMachineRef.name };
    const owner = { apiVersion: 'bmc.kubevirt.io/v1beta1', kind: 'VirtualMachineBMC', name, uid, controller: true };
    const made = { ...ref, labels, ownerReferences: [owner] };
    if ((await this.#client.find(DEPLOYMENTS, ref)) === undefined) {
      const template = { metadata: { labels }, spec: { containers: [{ name: 'virtbmc', image: 'virtbmc:1' }] } };
      await this.#client.create(DEPLOYMENTS, {
        ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: made },
        spec: { replicas: 1, selector: { matchLabels: labels }, template },
      });
    }
    if ((await this.#client.find(SERVICES, ref)) === undefined)
      await this.#client.create(SERVICES, {
        ...{ apiVersion: 'v1', kind: 'Service', metadata: made },
        spec: { selector: { [LABELS.bmc]: name }, ports: PORTS },
      });
  }

  async #setPorts({ metadata, spec }: VirtualMachineBMC): Promise<void> {
    const ref = { namespace: metadata.namespace ?? '', name: agentName(spec.virtualMachineRef.name) };
    const { resourceVersion } = (await this.#client.get(SERVICES, ref)).metadata;
    const patched = await this.#client.patch(SERVICES, ref, 'merge', { spec: { ports: PORTS } });
    if (patched.metadata.resourceVersion !== resourceVersion) this.writes += 1;
  }

  async #report(bmc: VirtualMachineBMC): Promise<void> {
    const { namespace = '' } = bmc.metadata;
    const vm = bmc.spec.virtualMachineRef.name;
    const service = await this.#client.get(SERVICES, { namespace, name: agentName(vm) });
    const said = {
      VirtualMachineAvailable: ['VirtualMachineFound', `VirtualMachine "${vm}" is available`],
      SecretAvailable: ['SecretFound', 'Secret is available'],
      ServiceReady: ['ServiceReady', 'ClusterIP assigned to the Service'],
    };
    const { clusterIP: before, conditions = [], bootOverride } = bmc.status ?? {};
    const next = new Map(conditions.map((condition) => [condition.type, condition]));
    for (const [type, [reason = '', message = '']] of Object.entries(said)) {
      const last = next.get(type);
      const wanted = { type, status: 'True' as const, reason, message };
      if (!isSame(last, wanted)) next.set(type, { ...wanted, lastTransitionTime: timestamp(Date.now()) });
    }
    const clusterIP = service.spec?.clusterIP ?? '';
    if (clusterIP === before && conditions.every((condition) => next.get(condition.type) === condition)) {
      if (next.size === conditions.length) return;
    }
    const status: VirtualMachineBMCStatus = {
      ...{ clusterIP, conditions: [...next.values()] },
      ...(bootOverride === undefined ? {} : { bootOverride }),
    };
    await this.#client.replace(VIRTUAL_MACHINE_BMCS, { ...bmc, status }, { subresource: 'status' });
    this.writes += 1;
  }
}

/** As `meta.SetStatusCondition` of Kubernetes compares: the generation counts, and it has none. */
function isSame(
  last: Condition | undefined,
  { status, reason, message }: Omit<Condition, 'lastTransitionTime'>,
): boolean {
  return (
    last?.status === status &&
    last.reason === reason &&
    last.message === message &&
    (last.observedGeneration ?? 0) === 0
  );
}
