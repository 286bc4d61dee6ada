import type { BMCAction } from '../../../api/index.ts';
import type { Clock, Logger, ObjectRef } from '@groundcrew/controller-runtime';
import {
  type BootOption,
  type BootOverride,
  type Display,
  type EventLog,
  type Hardware,
  type Machine,
  MachineError,
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
import { ANSWER_WITHIN, inTime } from '../objects/in-time.ts';
import { bootOptionsOf } from './boot/boot-options.ts';
import type { BootOverrideControl } from './boot/boot-override-control.ts';
import type { FirmwareControl } from './boot/firmware-control.ts';
import { describeOverride } from './boot/requested-override.ts';
import type { MachinePair } from './machine-objects.ts';
import type { PowerControl } from './power/power-control.ts';
import { poweredOnSince } from './power/power-inputs.ts';
import type { RestorePolicyControl } from './power/restore-policy.ts';

export interface KubeVirtMachineOptions {
  /** The VM. */
  machine: ObjectRef;
  /** The VM and its VMI from the watch caches; undefined before the first sync. */
  cached: () => MachinePair | undefined;
  /** Whether the caches are recent enough to rely on. */
  isFresh: () => boolean;
  /** Reads stale objects from the API server. Never rejects. */
  refresh: () => Promise<void>;
  power: Pick<PowerControl, 'stateOf' | 'power'>;
  bootOverride: Pick<
    BootOverrideControl,
    'latest' | 'overrideIn' | 'ownOrdersIn' | 'set' | 'setOrder' | 'settleBeforeBoot'
  >;
  firmware: Pick<FirmwareControl, 'latest' | 'modeIn' | 'secureBootIn' | 'setMode' | 'setSecureBoot'>;
  restorePolicy: Pick<RestorePolicyControl, 'policyOf' | 'set'>;
  log: EventLog;
  console: SerialConsole;
  display: Display;
  media: VirtualMedia;
  hardware: (pair: MachinePair) => Hardware;
  sensors: () => readonly Sensor[];
  clock: Clock;
  /** Returns a number from [0, 1). */
  jitter: () => number;
  /** Serializes writes of the VM. */
  queue: { run<T>(task: () => Promise<T>): Promise<T> };
  /** Reports an action and its outcome. */
  report: (report: ActionReport) => void;
  logger: Logger;
}

/** An action that a client requested. */
export interface ActionReport {
  outcome: 'accepted' | 'refused';
  /** Reason of the Event. */
  reason: BMCAction | `${BMCAction}${'Refused' | 'Unknown'}`;
  /** A sentence. */
  message: string;
}

/** A KubeVirt virtual machine as seen by IPMI and Redfish. */
export class KubeVirtMachine implements Machine {
  readonly #options: KubeVirtMachineOptions;
  readonly log: EventLog;
  readonly console: SerialConsole;
  readonly display: Display;
  readonly media: VirtualMedia;
  /** Actions that failed at the last request; they may still have been done if the answer was lost. */
  readonly #failed = new Set<BMCAction>();

  constructor(options: KubeVirtMachineOptions) {
    this.#options = options;
    this.log = options.log;
    this.console = options.console;
    this.display = options.display;
    this.media = options.media;
  }

  identity(): MachineIdentity {
    const { machine, cached } = this.#options;
    const { vm, vmi } = cached() ?? {};
    // KubeVirt writes both into new VMs; for older VMs only the VMI has them.
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
    const { power, bootOverride } = this.#options;
    const entry = (outcome: Outcome) => ({ kind: 'PowerAction', action, outcome, requester }) as const;
    await this.#reported({ ...POWER_WORDS[action], entry }, requester, async (deadline) => {
      // The machine must boot what the client was promised.
      const read = BOOTS.has(action) ? await bootOverride.settleBeforeBoot(deadline) : undefined;
      await power.power(action, deadline, read);
      return true;
    });
  }

  restorePolicy(): RestorePolicy | undefined {
    const { vm } = this.#cached();
    return vm && this.#options.restorePolicy.policyOf(vm);
  }

  async setRestorePolicy(policy: RestorePolicy, requester: Requester): Promise<void> {
    const { restorePolicy } = this.#options;
    const what = `set the power restore policy ${policy}`;
    await this.#reported({ reason: 'RestorePolicySet', what }, requester, (deadline) =>
      restorePolicy.set(policy, deadline),
    );
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
    const { bootOverride } = this.#options;
    const words: Words =
      override === undefined
        ? { reason: 'BootOverrideCleared', what: 'clear the boot override' }
        : { reason: 'BootOverrideSet', what: describeOverride(override) };
    const target = override === undefined ? undefined : describeOverride(override).replace(/^boot /, '');
    const entry = (outcome: Outcome) => ({ kind: 'BootOverride', target, outcome, requester }) as const;
    await this.#reported({ ...words, entry }, requester, (deadline) =>
      bootOverride.set(override, lapseAfter, deadline),
    );
  }

  bootOptions(): readonly BootOption[] {
    const { vm } = this.#latest();
    return vm === undefined ? [] : bootOptionsOf(vm, this.#options.bootOverride.ownOrdersIn(vm));
  }

  async setBootOrder(options: readonly string[], requester: Requester): Promise<void> {
    const { bootOverride } = this.#options;
    const order = options.length === 0 ? undefined : options.join(', ');
    const what = order === undefined ? 'set the boot order of the platform' : `set the boot order ${order}`;
    const entry = (outcome: Outcome) => ({ kind: 'BootOrder', order, outcome, requester }) as const;
    await this.#reported({ reason: 'BootOrderSet', what, entry }, requester, (deadline) =>
      bootOverride.setOrder(options, deadline),
    );
  }

  bootMode(): 'UEFI' | 'Legacy' | undefined {
    const { vm } = this.#cached();
    // KubeVirt applies preferences to the VMI.
    return (vm && this.#options.firmware.modeIn(vm)) ?? this.hardware().firmware;
  }

  async setBootMode(mode: 'UEFI' | 'Legacy', { protocol }: Requester): Promise<void> {
    const { firmware } = this.#options;
    await this.#inTime(protocol, (deadline) => firmware.setMode(mode, deadline));
  }

  secureBoot(): boolean | undefined {
    const { vm } = this.#cached();
    return vm && this.#options.firmware.secureBootIn(vm);
  }

  async setSecureBoot(isOn: boolean, { protocol }: Requester): Promise<void> {
    const { firmware } = this.#options;
    await this.#inTime(protocol, (deadline) => firmware.setSecureBoot(isOn, deadline));
  }

  #cached(): MachinePair {
    const pair = this.#options.cached();
    if (pair === undefined) throw new MachineError('Unavailable', 'the Kubernetes API has not answered yet');
    return pair;
  }

  /** Includes the latest writes, so that clients can read them back at once. */
  #latest(): MachinePair {
    const { bootOverride, firmware } = this.#options;
    const { vm, vmi } = this.#cached();
    return { vm: vm && firmware.latest(bootOverride.latest(vm)), vmi };
  }

  /**
   * The power state must not be read from stale caches.
   *
   * @throws MachineError
   */
  #fresh(): MachinePair {
    const pair = this.#cached();
    if (this.#options.isFresh()) return pair;
    throw new MachineError('Unavailable', 'the Kubernetes API is silent: the power state is not known');
  }

  async #inTime<T>(protocol: Requester['protocol'], work: (deadline: AbortSignal) => Promise<T>): Promise<T> {
    const { queue, clock, jitter } = this.#options;
    return await inTime(work, { queue, clock, within: ANSWER_WITHIN[protocol], jitter: jitter() });
  }

  /** @param work resolves to whether anything has changed */
  async #reported(
    words: Words & Partial<Action>,
    requester: Requester,
    work: (deadline: AbortSignal) => Promise<boolean>,
  ): Promise<void> {
    const { logger, report, log } = this.#options;
    const { protocol, user, address } = requester;
    const asked = `${words.what}, as ${user} asked over ${protocol} from ${address}`;
    const fields = { action: words.reason, protocol, user, client: address };
    try {
      // Configuration tools write back what they have read.
      const hasChanged = await this.#inTime(protocol, work);
      if (!hasChanged && !this.#failed.has(words.reason)) return;
      this.#failed.delete(words.reason);
    } catch (error) {
      this.#failed.add(words.reason);
      const why = error instanceof MachineError ? error.message : 'it failed';
      const outcome = error instanceof MachineError && error.mayBeDone ? 'Unknown' : 'Refused';
      const message = `${outcome === 'Unknown' ? 'Unknown outcome' : 'Refused'}: ${asked}: ${why}`;
      logger.warn({ ...fields, err: error }, message);
      if (words.entry !== undefined) log.append(words.entry(outcome));
      report({ outcome: 'refused', reason: `${words.reason}${outcome}`, message });
      throw error;
    }
    logger.info(fields, asked);
    if (words.entry !== undefined) log.append(words.entry('Accepted'));
    report({ outcome: 'accepted', reason: words.reason, message: `${asked[0]?.toUpperCase() ?? ''}${asked.slice(1)}` });
  }
}

interface Words {
  /** Reason of the Event. */
  reason: BMCAction;
  what: string;
}

interface Action extends Words {
  /** Entry of the event log. */
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
