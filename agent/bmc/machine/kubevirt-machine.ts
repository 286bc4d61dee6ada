import type { BMCAction } from '../../../api/index.ts';
import type { Logger, ObjectRef } from '@groundcrew/controller-runtime';
import {
  MachineError,
  type BootOption,
  type BootOverride,
  type EventLog,
  type Hardware,
  type Machine,
  type MachineEvent,
  type MachineIdentity,
  type Outcome,
  type PowerAction,
  type PowerState,
  type Requester,
  type RestorePolicy,
  type Sensor,
  type SerialConsole,
  type VirtualMedia,
} from '../../../protocols/machine/index.ts';
import { describeOverride, type BootOverrideControl } from '../boot-override/index.ts';
import type { PowerControl } from '../power/index.ts';
import type { SecureBootControl } from '../secure-boot/index.ts';
import { bootOptionsOf } from './boot-options.ts';
import type { MachinePair } from './machine-objects.ts';
import { poweredOnSince } from './powered-on-since.ts';
import { restorePolicyOf } from './restore-policy.ts';

export interface KubeVirtMachineOptions {
  /** The VM. */
  machine: ObjectRef;
  /** The VM and its VMI as the watches have them; undefined while those have not heard of the cluster yet. */
  cached: () => MachinePair | undefined;
  /** Whether those can still be taken for what is. */
  isFresh: () => boolean;
  /** Asks the API server where not. Never rejects. */
  refresh: () => Promise<void>;
  power: Pick<PowerControl, 'stateOf' | 'power'>;
  bootOverride: Pick<
    BootOverrideControl,
    'latest' | 'overrideIn' | 'ownOrdersIn' | 'set' | 'setOrder' | 'settleBeforeBoot'
  >;
  secureBoot: Pick<SecureBootControl, 'wantedIn' | 'set'>;
  log: EventLog;
  console: SerialConsole;
  media: VirtualMedia;
  hardware: (pair: MachinePair) => Hardware;
  sensors: () => readonly Sensor[];
  /** In which all that writes the VM takes its turn. */
  queue: { run<T>(task: () => Promise<T>): Promise<T> };
  /** Tells the world what was asked and what became of it. */
  report: (report: ActionReport) => void;
  logger: Logger;
}

/** What a client asked of a machine. */
export interface ActionReport {
  outcome: 'accepted' | 'refused';
  /** One word for Events. */
  reason: BMCAction | `${BMCAction}Refused`;
  /** A sentence. */
  message: string;
}

/** A KubeVirt virtual machine as IPMI and Redfish see it. */
export class KubeVirtMachine implements Machine {
  readonly #options: KubeVirtMachineOptions;
  readonly log: EventLog;
  readonly console: SerialConsole;
  readonly media: VirtualMedia;
  /** What failed when it was asked for last: it may have been done all the same, its answer being lost. */
  readonly #failed = new Set<BMCAction>();

  constructor(options: KubeVirtMachineOptions) {
    this.#options = options;
    this.log = options.log;
    this.console = options.console;
    this.media = options.media;
  }

  identity(): MachineIdentity {
    const { machine, cached } = this.#options;
    const { vm, vmi } = cached() ?? {};
    // KubeVirt writes both into the VM when it is made; of older VMs the VMI alone has them.
    const { uuid, serial } = { ...vmi?.spec.domain.firmware, ...vm?.spec.template.spec.domain.firmware };
    return {
      name: `${machine.namespace ?? ''}/${machine.name}`,
      ...(uuid === undefined ? {} : { uuid: uuid.toLowerCase() }),
      ...(serial === undefined ? {} : { serial }),
    };
  }

  refresh(): Promise<void> | undefined {
    const { isFresh, refresh } = this.#options;
    return isFresh() ? undefined : refresh();
  }

  powerState(): PowerState {
    return this.#options.power.stateOf(this.#fresh());
  }

  async power(action: PowerAction, requester: Requester): Promise<void> {
    const { queue, power, bootOverride } = this.#options;
    const entry = (outcome: Outcome) => ({ kind: 'PowerAction', action, outcome, requester }) as const;
    await this.#reported({ ...POWER_WORDS[action], entry }, requester, () =>
      queue.run(async () => {
        // What the client is about to boot has to be what it was told that would boot.
        if (BOOTS.has(action)) await bootOverride.settleBeforeBoot();
        await power.power(action);
        return true;
      }),
    );
  }

  restorePolicy(): RestorePolicy | undefined {
    return restorePolicyOf(this.#cached());
  }

  poweredOnSince(): number | undefined {
    return poweredOnSince(this.#fresh());
  }

  hardware(): Hardware {
    return this.#options.hardware(this.#latest());
  }

  sensors(): readonly Sensor[] {
    return this.#options.sensors();
  }

  bootOverride(): BootOverride | undefined {
    return this.#options.bootOverride.overrideIn(this.#cached());
  }

  async setBootOverride(override: BootOverride | undefined, requester: Requester, lapseAfter?: number): Promise<void> {
    const { queue, bootOverride } = this.#options;
    const words: Words =
      override === undefined
        ? { reason: 'BootOverrideCleared', what: 'clear the boot override' }
        : { reason: 'BootOverrideSet', what: describeOverride(override) };
    const target = override === undefined ? undefined : describeOverride(override).replace(/^boot /, '');
    const entry = (outcome: Outcome) => ({ kind: 'BootOverride', target, outcome, requester }) as const;
    await this.#reported({ ...words, entry }, requester, () => queue.run(() => bootOverride.set(override, lapseAfter)));
  }

  bootOptions(): readonly BootOption[] {
    const { vm } = this.#latest();
    return vm === undefined ? [] : bootOptionsOf(vm, this.#options.bootOverride.ownOrdersIn(vm));
  }

  async setBootOrder(options: readonly string[], requester: Requester): Promise<void> {
    const { queue, bootOverride } = this.#options;
    const order = options.length === 0 ? undefined : options.join(', ');
    const what = order === undefined ? 'set the boot order of the platform' : `set the boot order ${order}`;
    const entry = (outcome: Outcome) => ({ kind: 'BootOrder', order, outcome, requester }) as const;
    await this.#reported({ reason: 'BootOrderSet', what, entry }, requester, () =>
      queue.run(() => bootOverride.setOrder(options)),
    );
  }

  secureBoot(): boolean | undefined {
    const { vm } = this.#cached();
    return vm && this.#options.secureBoot.wantedIn(vm);
  }

  async setSecureBoot(isOn: boolean): Promise<void> {
    const { queue, secureBoot } = this.#options;
    await queue.run(() => secureBoot.set(isOn));
  }

  #cached(): MachinePair {
    const pair = this.#options.cached();
    if (pair === undefined) throw new MachineError('Unavailable', 'the Kubernetes API has not answered yet');
    return pair;
  }

  /** With what clients have just written to the VM, which they read back at once. */
  #latest(): MachinePair {
    const { vm, vmi } = this.#cached();
    return { vm: vm && this.#options.bootOverride.latest(vm), vmi };
  }

  /** What runs, or does not, is not to be told from caches that are behind. @throws MachineError */
  #fresh(): MachinePair {
    const pair = this.#cached();
    if (this.#options.isFresh()) return pair;
    throw new MachineError('Unavailable', 'the Kubernetes API is silent: the power state is not known');
  }

  /** @param work resolves to whether there was anything to do */
  async #reported(words: Action, requester: Requester, work: () => Promise<boolean>): Promise<void> {
    const { logger, report, log } = this.#options;
    const asked = `${words.what}, as ${requester.user} asked over ${requester.protocol} from ${requester.address}`;
    const fields = { action: words.reason, ...requester };
    try {
      // Configuration tools write back what they have read.
      if (!(await work()) && !this.#failed.has(words.reason)) return;
      this.#failed.delete(words.reason);
    } catch (error) {
      this.#failed.add(words.reason);
      const why = error instanceof MachineError ? error.message : 'it failed';
      logger.warn({ ...fields, err: error }, `refused: ${asked}`);
      log.append(words.entry('Refused'));
      report({ outcome: 'refused', reason: `${words.reason}Refused`, message: `Refused: ${asked}: ${why}` });
      throw error;
    }
    logger.info(fields, asked);
    log.append(words.entry('Accepted'));
    report({ outcome: 'accepted', reason: words.reason, message: `${asked[0]?.toUpperCase() ?? ''}${asked.slice(1)}` });
  }
}

interface Words {
  /** Of the Event. */
  reason: BMCAction;
  what: string;
}

interface Action extends Words {
  /** Of the event log. */
  entry: (outcome: Outcome) => MachineEvent;
}

const POWER_WORDS: Record<PowerAction, Words> = {
  On: { reason: 'PowerOn', what: 'power on' },
  ForceOff: { reason: 'PowerOff', what: 'power off' },
  GracefulShutdown: { reason: 'Shutdown', what: 'shut down' },
  GracefulRestart: { reason: 'GracefulRestart', what: 'ask to restart' },
  ForceRestart: { reason: 'Reset', what: 'reset' },
  PowerCycle: { reason: 'PowerCycle', what: 'power cycle' },
  Pause: { reason: 'Pause', what: 'pause' },
  Resume: { reason: 'Resume', what: 'resume' },
  DiagnosticInterrupt: { reason: 'DiagnosticInterrupt', what: 'send a diagnostic interrupt' },
};

const BOOTS: ReadonlySet<PowerAction> = new Set(['On', 'GracefulRestart', 'ForceRestart', 'PowerCycle']);
