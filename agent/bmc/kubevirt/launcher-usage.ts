import type { Kind, KubeObject, VirtualMachineInstance } from '../../../api/index.ts';
import { parseQuantity, sleep } from '@groundcrew/controller-runtime';
import type { MachineContext } from './machine-objects.ts';
import type { PodUsage } from './sensors-of.ts';

/** PodMetrics of metrics.k8s.io/v1beta1. */
interface PodMetrics extends KubeObject {
  containers?: { name: string; usage?: { cpu?: string; memory?: string } }[];
}

const POD_METRICS: Kind<PodMetrics> = {
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  namespaced: true,
};

/** Label of a launcher pod with the uid of its VMI. */
const CREATED_BY = 'kubevirt.io/created-by';
/** The container of the guest. */
const GUEST_CONTAINER = 'compute';
/** ms; metrics-server measures every 15 s. */
const PERIOD = 30_000;
/** ms after which a measurement is out of date. */
const LAPSE = 3 * PERIOD;

interface LauncherUsageOptions extends Pick<MachineContext, 'client' | 'machine' | 'clock' | 'logger'> {
  /** The VMI from the watch cache. */
  vmi: () => VirtualMachineInstance | undefined;
}

/**
 * Periodically reads from metrics.k8s.io what the launcher pod of a VMI uses. Its name changes with the VMI and the node, so
 * it is found by label.
 */
export class LauncherUsage {
  readonly #options: LauncherUsageOptions;
  #measured: { vmiUid: string | undefined; at: number; usage: PodUsage } | undefined;
  #problem: string | undefined;

  constructor(options: LauncherUsageOptions) {
    this.#options = options;
  }

  /** Undefined if there is no recent measurement of the current VMI. */
  get current(): PodUsage | undefined {
    const { vmi, clock } = this.#options;
    const measured = this.#measured;
    if (measured === undefined || clock.now() - measured.at > LAPSE) return undefined;
    return measured.vmiUid === vmi()?.metadata.uid ? measured.usage : undefined;
  }

  /** Resolves when `signal` is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#look(signal);
      await sleep(this.#options.clock, PERIOD, signal);
    }
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { client, machine, vmi, clock } = this.#options;
    const { namespace } = machine;
    const vmiUid = vmi()?.metadata.uid;
    if (vmiUid === undefined) return;
    try {
      const labelSelector = `${CREATED_BY}=${vmiUid}`;
      const { items } = await client.list(POD_METRICS, {
        ...(namespace === undefined ? {} : { namespace }),
        labelSelector,
        signal,
      });
      const usage = usageOf(items);
      this.#measured = usage === undefined ? undefined : { vmiUid, at: clock.now(), usage };
      this.#problem = undefined;
    } catch (error) {
      if (!signal.aborted) this.#tell(error);
    }
  }

  /** Logs each problem once: a cluster without metrics-server has it permanently. */
  #tell(error: unknown): void {
    const problem = error instanceof Error ? error.message : String(error);
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.logger.warn({ problem }, 'metrics.k8s.io does not have the resource usage of the virtual machine');
  }
}

/** During a migration a VMI has two pods, and neither has the usage. */
function usageOf(pods: readonly PodMetrics[]): PodUsage | undefined {
  const [pod, ...others] = pods;
  const usage = pod?.containers?.find(({ name }) => name === GUEST_CONTAINER)?.usage;
  const cpus = parseQuantity(usage?.cpu);
  const memoryBytes = parseQuantity(usage?.memory);
  return others.length > 0 || cpus === undefined || memoryBytes === undefined ? undefined : { cpus, memoryBytes };
}
