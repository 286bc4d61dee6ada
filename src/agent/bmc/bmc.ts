import { isDeepStrictEqual } from 'node:util';
import {
  BMC_DEFAULTS,
  credentialsSecretName,
  ipmiSettings,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type BMCDefaults,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
} from '../../api/index.ts';
import {
  isConflict,
  SECRETS,
  type Clock,
  type EventRecorder,
  type Kind,
  type KubeClient,
  type KubeObject,
  type Logger,
  type Secret,
} from '../../kube/index.ts';
import { DEFAULT_BOOT_FLAG_TIMEOUT, type DeviceInfo, type IpmiObserver } from '../../protocols/ipmi/index.ts';
import { MachineError, type BootOverride, type Machine, type PowerState } from '../../protocols/machine/index.ts';
import { BmcAccounts, credentialsOf } from './accounts/index.ts';
import { BootOverrideControl, describeOverride, type OverrideVerdict } from './boot-override/index.ts';
import { KubeVirtConsole } from './console/index.ts';
import { hardwareOf } from './hardware/index.ts';
import { IpmiService, observeIpmi, type IpmiWish } from './ipmi/index.ts';
import { EventRing } from './log/index.ts';
import { KubeVirtMachine, Lane, type ActionReport, type MachinePair } from './machine/index.ts';
import { PowerControl } from './power/index.ts';
import { sensorsOf } from './sensors/index.ts';
import { BmcSettings } from './state/index.ts';
import { agentStatusOf, BmcStatus } from './status/index.ts';
import type { ObjectWatch, ObjectWatches } from './watches/index.ts';

/** What all BMCs of a process share. */
export interface BmcSurroundings {
  client: KubeClient;
  watches: ObjectWatches;
  events: EventRecorder;
  /** The pod that this runs in: it acts unasked for BMCs whose status names it. */
  podName: string;
  /** Local addresses to listen on. */
  addresses: readonly string[];
  deviceInfo: DeviceInfo;
  defaults?: BMCDefaults;
  clock: Clock;
  /** ms of a clock that never goes back. */
  now: () => number;
  random: (size: number) => Buffer;
  logger: Logger;
}

export interface BmcOptions extends BmcSurroundings {
  bmc: VirtualMachineBMC;
  ipmiPort: number;
  /** The BMC as a watch has it. */
  latest: () => VirtualMachineBMC | undefined;
  /** Asks for a `reconcile`, soon. */
  wake: () => void;
}

type EventParts = ['Normal' | 'Warning', reason: string, message: string];

const LAPSE_SECONDS = DEFAULT_BOOT_FLAG_TIMEOUT / 1000;

/** What people are told of what was done about a boot override. */
const SETTLED: Partial<Record<OverrideVerdict, EventParts>> = {
  restore: ['Normal', 'BootOrderRestored', 'The machine has booted as asked; its own boot order is back'],
  drop: ['Warning', 'BootOverrideDropped', 'The virtual machine is gone, or lacks by now what it was to boot from'],
  adopt: ['Normal', 'BootOverrideKept', 'The boot override holds for the virtual machine that was made anew'],
};

interface Watches {
  vm: ObjectWatch<VirtualMachine>;
  vmi: ObjectWatch<VirtualMachineInstance>;
  secret: ObjectWatch<Secret>;
}

/**
 * One BMC at work: the protocols that it is reached by, the machine behind them, and what it does unasked, which is to restore the
 * boot order, to power on what it had to power off first, and to keep its part of the status true.
 */
export class Bmc {
  readonly #options: BmcOptions;
  readonly #lane = new Lane();
  readonly #stop = new AbortController();
  readonly #status: BmcStatus;
  readonly #power: PowerControl;
  readonly #bootOverride: BootOverrideControl;
  readonly #accounts = new BmcAccounts();
  readonly #ipmi: IpmiService;
  /** What its protocols speak to. */
  readonly machine: Machine;
  readonly #vmName: string;
  #secretName: string;
  #watches: Watches;
  #problem: string | undefined = 'it is starting';
  /** Whether the last `reconcile` came to what the acting agent does. */
  #acted = false;

  constructor(options: BmcOptions) {
    const { bmc, client, clock, addresses, ipmiPort, deviceInfo, now, random } = options;
    const { namespace = '', name } = bmc.metadata;
    const logger = options.logger.child({ bmc: `${namespace}/${name}` });
    this.#options = { ...options, logger };
    this.#vmName = bmc.spec.virtualMachineRef.name;
    this.#secretName = secretNameOf(bmc);
    this.#watches = {
      vm: this.#watch(VIRTUAL_MACHINES, this.#vmName),
      vmi: this.#watch(VIRTUAL_MACHINE_INSTANCES, this.#vmName),
      secret: this.#watch(SECRETS, this.#secretName),
    };
    const machine = { namespace, name: this.#vmName };
    const { signal } = this.#stop;
    this.#status = new BmcStatus({ client, bmc: { namespace, name }, cached: options.latest });
    this.#power = new PowerControl({ client, machine, clock, signal });
    this.#bootOverride = new BootOverrideControl({
      client,
      machine,
      status: this.#status,
      onSettled: (done, override) => {
        const event = done === 'lapse' ? lapsed(override) : SETTLED[done];
        if (event !== undefined) this.#report(...event);
      },
      clock,
      signal,
    });
    const report = (action: ActionReport): void => {
      this.#report(action.outcome === 'refused' ? 'Warning' : 'Normal', action.reason, action.message);
      options.wake();
    };
    this.machine = new KubeVirtMachine({
      machine,
      cached: () => this.#pair(),
      isFresh: () => this.#watches.vm.isFresh && this.#watches.vmi.isFresh,
      power: this.#power,
      bootOverride: this.#bootOverride,
      log: new EventRing(clock),
      console: new KubeVirtConsole(),
      hardware: hardwareOf,
      sensors: sensorsOf,
      lane: this.#lane,
      report,
      logger,
    });
    this.#ipmi = new IpmiService({
      machine: this.machine,
      accounts: this.#accounts,
      settings: new BmcSettings(),
      addresses,
      port: ipmiPort,
      deviceInfo,
      observer: this.#observer(),
      random,
      now,
      clock,
      logger,
    });
  }

  /** What keeps the BMC from answering its clients; undefined where nothing does. */
  get problem(): string | undefined {
    return this.#problem ?? (this.#ipmi.port === undefined || this.#ipmi.answers ? undefined : 'IPMI does not answer');
  }

  get sessionCount(): number {
    return this.#ipmi.sessionCount;
  }

  /** The UDP port that IPMI is served on. */
  get ipmiPort(): number | undefined {
    return this.#ipmi.port;
  }

  /** Milliseconds until a `reconcile` has something to do though nothing happens before; undefined: none that is known. */
  get dueIn(): number | undefined {
    return this.#acted ? this.#bootOverride.lapsesIn : undefined;
  }

  /** Whether it still is the BMC of the same machine; if not, another takes its place. */
  serves(bmc: VirtualMachineBMC): boolean {
    return bmc.metadata.uid === this.#options.bmc.metadata.uid && bmc.spec.virtualMachineRef.name === this.#vmName;
  }

  /** Brings it in line with its resource, its Secret, and the machine. May be called at any time and any number of times. */
  async reconcile(bmc: VirtualMachineBMC): Promise<void> {
    this.#acted = false;
    this.#followSecret(bmc);
    if (this.#pair() === undefined || !this.#watches.secret.hasSettled) return;
    await this.#serve(bmc);
    if (bmc.status?.agent?.name !== this.#options.podName) return;
    await this.#lane.run(() => this.#act(bmc.metadata.generation));
  }

  /** Lets nobody log in any more. */
  drain(): void {
    this.#ipmi.drain();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    const { vm, vmi, secret } = this.#watches;
    for (const watch of [vm, vmi, secret]) watch.stop();
    await this.#ipmi.close();
  }

  #followSecret(bmc: VirtualMachineBMC): void {
    if (this.#secretName === secretNameOf(bmc)) return;
    this.#watches.secret.stop();
    this.#secretName = secretNameOf(bmc);
    this.#watches = { ...this.#watches, secret: this.#watch(SECRETS, this.#secretName) };
  }

  async #serve(bmc: VirtualMachineBMC): Promise<void> {
    const wish = this.#wish(bmc);
    const problem = 'problem' in wish ? wish.problem : undefined;
    if (problem !== undefined && problem !== this.#problem) this.#options.logger.warn({ problem }, 'IPMI is off');
    try {
      await this.#ipmi.serve('problem' in wish ? undefined : wish.ipmi);
    } catch (error) {
      this.#problem = `IPMI cannot be served: ${error instanceof Error ? error.message : String(error)}`;
      throw error;
    }
    this.#problem = problem;
  }

  #wish(bmc: VirtualMachineBMC): { ipmi: IpmiWish | undefined } | { problem: string } {
    const { enabled, ...settings } = ipmiSettings(bmc.spec, this.#options.defaults ?? BMC_DEFAULTS);
    const reading = credentialsOf(this.#watches.secret.object, this.#secretName);
    this.#accounts.follow('problem' in reading ? undefined : reading.credentials);
    if ('problem' in reading) return reading;
    return { ipmi: enabled ? { bmcKey: reading.credentials.kg, settings } : undefined };
  }

  /** What the acting agent does unasked. */
  async #act(generation: number | undefined): Promise<void> {
    const pair = this.#pair();
    if (pair === undefined) return;
    await this.#bootOverride.settle(pair);
    await this.#power.settle(pair);
    await this.#writeStatus(generation);
    this.#acted = true;
  }

  async #writeStatus(observedGeneration: number | undefined): Promise<void> {
    const latest = this.#status.latest;
    const pair = this.#pair();
    if (latest === undefined || pair === undefined) return;
    const stands = agentStatusOf(latest);
    const wanted = { ...stands, powerState: this.#powerState(pair), observedGeneration };
    if (isDeepStrictEqual(stands, wanted)) return;
    try {
      await this.#status.write(latest, wanted);
    } catch (error) {
      // The watch brings the version that was in the way, and with it the next attempt.
      if (!isConflict(error)) throw error;
    }
  }

  #powerState(pair: MachinePair): PowerState | undefined {
    try {
      return this.#power.stateOf(pair);
    } catch (error) {
      if (error instanceof MachineError) return undefined;
      throw error;
    }
  }

  #pair(): MachinePair | undefined {
    const { vm, vmi } = this.#watches;
    return vm.hasSettled && vmi.hasSettled ? { vm: vm.object, vmi: vmi.object } : undefined;
  }

  #watch<T extends KubeObject>(kind: Kind<T>, name: string): ObjectWatch<T> {
    return this.#options.watches.watch(kind, name, this.#options.wake);
  }

  #observer(): IpmiObserver {
    return observeIpmi({
      logger: this.#options.logger,
      report: (reason, message) => {
        this.#report('Warning', reason, message);
      },
    });
  }

  #report(...parts: EventParts): void {
    this.#options.events.event(this.#status.latest ?? this.#options.bmc, ...parts);
  }
}

/** Only IPMI asks for overrides that lapse, with its own time. */
function lapsed(override: BootOverride | undefined): EventParts {
  const asked = override === undefined ? 'the boot override' : `\`${describeOverride(override)}\``;
  const message =
    `Nobody booted the machine within ${LAPSE_SECONDS} s of ${asked}; its own boot order is back ` +
    '(IPMI 2.0 §28.13; boot parameter 3 turns this off)';
  return ['Normal', 'BootOverrideLapsed', message];
}

function secretNameOf({ metadata, spec }: VirtualMachineBMC): string {
  return spec.authSecretRef?.name ?? credentialsSecretName(metadata.name);
}
