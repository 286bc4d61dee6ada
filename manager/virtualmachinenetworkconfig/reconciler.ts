import {
  networkKey,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  NETWORK_CONFIG_FINALIZER,
  type VirtualMachine,
  type VirtualMachineNetworkConfig,
} from '../../api/index.ts';
import {
  unlessGone,
  type Cache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { Newest } from '../ipam/index.ts';
import { report } from '../networks/index.ts';
import { ConditionEvents } from './condition-events.ts';
import { apply, type Applied, type Writer } from './apply.ts';
import { Finalizer } from '../finalizer.ts';
import type { FinalizingRights } from '../finalizing-rights.ts';
import type { Inputs } from './inputs.ts';
import { loadInputs, type Sources } from './load-inputs.ts';
import { planOf, type Plan } from './conditions/plan.ts';
import { statusOf } from './conditions/status.ts';
import type { Waiting } from './waiting.ts';

interface ReconcilerOptions extends Sources {
  client: KubeClient;
  virtualMachines: Cache<VirtualMachine>;
  waiting: Waiting;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
  rights?: FinalizingRights | undefined;
  /** Milliseconds in which agents stop serving a released lease. */
  grace: number;
}

const FINALIZER = new Finalizer(VIRTUAL_MACHINE_NETWORK_CONFIGS, NETWORK_CONFIG_FINALIZER);

/** Creates the leases of VirtualMachineNetworkConfigs: reads, evaluates, writes. */
export class NetworkConfigReconciler {
  readonly #options: ReconcilerOptions;
  readonly #configs: Newest<VirtualMachineNetworkConfig>;
  readonly #conditionEvents: ConditionEvents;
  readonly #writer: Writer;

  constructor(options: ReconcilerOptions) {
    const { events, caches, clock, ipam } = options;
    this.#options = options;
    this.#configs = new Newest(caches.configs, clock);
    this.#conditionEvents = new ConditionEvents(events, caches);
    this.#writer = { ...options, leases: ipam.leases };
  }

  async reconcile(ref: ObjectRef): Promise<Result | undefined> {
    return await unlessGone(() => this.#reconcile(ref));
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const { waiting } = this.#options;
    const read = this.#configs.get(ref);
    if (read === undefined || (read.metadata.deletionTimestamp !== undefined && !FINALIZER.isOn(read))) {
      waiting.put(ref, []);
      await this.#options.rights?.settle(ref.namespace ?? '');
      return undefined;
    }
    if (read.metadata.deletionTimestamp !== undefined) {
      waiting.put(ref, []);
      await this.#end(read);
      return undefined;
    }
    // Both controllers would lease other addresses, and undo each other's writes of the status for ever.
    if (this.#isLeft(read)) {
      waiting.put(ref, []);
      return undefined;
    }
    await this.#options.rights?.hold(ref.namespace ?? '');
    const config = await this.#withFinalizer(read);
    const freed = waiting.freed;
    const inputs = loadInputs(config, this.#options);
    const plan = planOf(inputs);
    const applied = await apply(plan, inputs, this.#writer);
    await this.#report(inputs, plan, applied);
    const waitsFor = applied.flatMap(({ waitsFor }) => (waitsFor === undefined ? [] : [waitsFor]));
    waiting.put(ref, waitsFor);
    if (waitsFor.length > 0 && waiting.freed !== freed) return { requeueAfter: 0 };
    const later = applied.flatMap(({ lookAgain }) => (lookAgain === undefined ? [] : [lookAgain]));
    return later.length === 0 ? undefined : { requeueAfter: Math.min(...later) };
  }

  /** Whether vm-dhcp-controller still serves one of its networks. */
  #isLeft({ metadata, spec }: VirtualMachineNetworkConfig): boolean {
    const { caches } = this.#options;
    return (spec.networkConfigs ?? []).some(
      ({ networkName }) => caches.otherAgentsOn(networkKey(networkName, metadata.namespace ?? '')).length > 0,
    );
  }

  /** Ends the leases first, then removes the finalizer. */
  async #end(config: VirtualMachineNetworkConfig): Promise<void> {
    const inputs = loadInputs(config, this.#options);
    const plan = planOf(inputs);
    await apply(plan, inputs, this.#writer);
    this.#conditionEvents.released(config, plan.release);
    this.#configs.note(await FINALIZER.set(config, false, this.#options.client));
  }

  /** Set before the first lease: a config deleted in between would otherwise leave its leases behind. */
  async #withFinalizer(config: VirtualMachineNetworkConfig): Promise<VirtualMachineNetworkConfig> {
    if (FINALIZER.isOn(config)) return config;
    const written = await FINALIZER.set(config, true, this.#options.client);
    this.#configs.note(written);
    return written;
  }

  async #report(inputs: Inputs, plan: Plan, applied: readonly Applied[]): Promise<void> {
    const { client, clock } = this.#options;
    const { config } = inputs;
    this.#conditionEvents.released(config, plan.release);
    const released = plan.release.map(({ lease }) => lease);
    const status = statusOf(inputs, applied, released, clock.now());
    const written = await report(VIRTUAL_MACHINE_NETWORK_CONFIGS, config, config.status, status, client);
    if (written === undefined) return;
    this.#configs.note(written);
    this.#conditionEvents.turned(config, status);
  }
}
