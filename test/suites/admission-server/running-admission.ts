import { BMC_DEFAULTS, VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../../api/index.ts';
import { CachedWatch, systemClock, type KubeClient } from '@groundcrew/controller-runtime';
import { configurationName, createAdmission, type AdmissionOptions } from '../../../manager/admission/index.ts';
import { createNetworkCaches, type NetworkCaches } from '../../../manager/networks/index.ts';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { eventually, type Cluster } from '../../harness/index.ts';

export interface RunningAdmissionOptions extends Partial<
  Pick<AdmissionOptions, 'clusterRanges' | 'assignMACs' | 'namespaces' | 'clock' | 'owner'>
> {
  /** Namespace of the Secret; default: a separate one. */
  namespace?: string;
  /** Whether it maintains the configurations: default true. */
  leads?: boolean;
}

/** The admission server without the rest of the manager, in this process, with its port and caches. */
export class RunningAdmission {
  readonly namespace: string;
  readonly caches: NetworkCaches;
  readonly #client: KubeClient;
  readonly #leads: boolean;
  readonly #stop = new AbortController();
  readonly #ended: Promise<unknown>;

  private constructor(cluster: Cluster, namespace: string, options: RunningAdmissionOptions) {
    const { client } = cluster;
    const common = { client, clock: systemClock, logger: silentLogger };
    const bmcs = new CachedWatch<VirtualMachineBMC>({
      ...common,
      kind: VIRTUAL_MACHINE_BMCS,
      indexes: {
        vm: ({ metadata, spec }) => [`${metadata.namespace ?? ''}/${spec.virtualMachineRef.name}`],
      },
    });
    this.namespace = namespace;
    this.caches = createNetworkCaches({ ...common, namespaces: [] });
    this.#client = client;
    this.#leads = options.leads ?? true;
    const admission = createAdmission({
      ...common,
      clock: options.clock ?? systemClock,
      caches: this.caches,
      bmcs: { cache: bmcs, byVirtualMachine: 'vm' },
      address: { host: '127.0.0.1', port: 0 },
      reachedBy: {},
      namespace,
      namespaces: options.namespaces ?? [],
      clusterRanges: options.clusterRanges ?? [],
      mayFinalize: () => true,
      assignMACs: options.assignMACs ?? true,
      namePolicy: { clusterDomain: 'cluster.local', allowedDNSSuffixes: [] },
      bmcDefaults: BMC_DEFAULTS,
      owner: options.owner,
    });
    const { signal } = this.#stop;
    this.#ended = Promise.all([
      ...this.caches.all.map((cache) => cache.run(signal)),
      bmcs.run(signal),
      admission.serve(signal),
      ...(this.#leads ? [admission.configurations.run(signal)] : []),
    ]);
    this.#ready = () => {
      const { all } = this.caches;
      if (admission.check() !== undefined || !bmcs.hasSynced || all.some((cache) => !cache.hasSynced && !cache.absent))
        throw new Error(`it does not answer yet: ${admission.check() ?? 'caches'}`);
    };
  }

  readonly #ready: () => void;

  /** Resolves when API servers call its webhooks: `inForce` is retried until it does not throw. */
  static async start(
    cluster: Cluster,
    options: RunningAdmissionOptions = {},
    inForce: () => Promise<void> = () => Promise.resolve(),
  ): Promise<RunningAdmission> {
    const namespace = options.namespace ?? (await cluster.namespace());
    const running = new RunningAdmission(cluster, namespace, options);
    await eventually(running.#ready);
    await eventually(inForce);
    return running;
  }

  get configuration(): string {
    return configurationName(this.namespace);
  }

  /** Stops the server and keeps the configurations. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  async close(): Promise<void> {
    await this.stop();
    if (this.#leads) await removeConfigurations(this.#client, this.configuration);
  }
}

export function configurationPaths(name: string): string[] {
  return ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map(
    (plural) => `/apis/admissionregistration.k8s.io/v1/${plural}/${name}`,
  );
}

/** Deletes the configurations, because the API server may be shared with other suites. */
export async function removeConfigurations(client: KubeClient, name: string): Promise<void> {
  for (const path of configurationPaths(name)) await client.request({ method: 'DELETE', path });
}
