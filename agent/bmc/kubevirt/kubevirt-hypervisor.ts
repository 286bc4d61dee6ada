import {
  type Condition,
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineBMC,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { unhurried } from '@groundcrew/controller-runtime';
import type { HostDependencies } from '../../../protocols/hosts/index.ts';
import {
  type Hardware,
  type Machine,
  MachineError,
  type PowerState,
  type Sensor,
} from '../../../protocols/machine/index.ts';
import type { SerialQueue } from '../../../protocols/serial-queue.ts';
import type { Hypervisor, MachineStatus } from '../hypervisor.ts';
import type { BmcEventLog } from '../log/bmc-event-log.ts';
import type { ObservedState } from '../log/observed-state.ts';
import type { BmcStatus } from '../objects/bmc-status.ts';
import type { ObjectWatch, ObjectWatches } from '../objects/named-watches.ts';
import type { ReconcileStep } from '../reconcile-steps.ts';
import type { RequestTraces } from '../request-traces.ts';
import { BootOverrideControl, type BootOverrideControlOptions } from './boot/boot-override-control.ts';
import { FirmwareControl } from './boot/firmware-control.ts';
import { FirmwareSetup } from './boot/firmware-setup.ts';
import { SETUP_OFFERED, tellSettled } from './boot/tell-settled.ts';
import type { OpenConsoleSocket } from './console/console-socket.ts';
import { KubeVirtConsole } from './console/kubevirt-console.ts';
import { KubeVirtDisplay } from './console/kubevirt-display.ts';
import { ExpandedVm } from './expanded-vm.ts';
import { hardwareOf, lastVmiOf } from './hardware-of.ts';
import { KubeVirtMachine } from './kubevirt-machine.ts';
import type { KubeVirtReaders } from './kubevirt-readers.ts';
import { LauncherUsage } from './launcher-usage.ts';
import type { MachineContext, MachinePair } from './machine-objects.ts';
import { KubeVirtMedia } from './media/kubevirt-media.ts';
import { observedStateOf } from './observed-state.ts';
import { PowerAvailability } from './power/power-availability.ts';
import { PowerControl } from './power/power-control.ts';
import { RestorePolicyControl } from './power/restore-policy.ts';
import { sensorsOf } from './sensors-of.ts';
import { SmbiosReader } from './system-smbios.ts';

export interface KubeVirtOptions extends Omit<MachineContext, 'machine'> {
  watches: ObjectWatches;
  bmc: VirtualMachineBMC;
  /** Serializes changes of the machine. */
  queue: SerialQueue;
  log: BmcEventLog;
  /** Connects to serial consoles. */
  openConsole: OpenConsoleSocket;
  /** Image hosts that are allowed in addition to those of the BMC. */
  hosts: HostDependencies;
  /** What the machines of a process ask once for all of them. Default: this one asks for itself. */
  readers?: KubeVirtReaders;
  /** Whether to read the resource usage of the VM from metrics.k8s.io. Default false. */
  metrics?: boolean;
  /** Requests a reconcile of the BMC soon. */
  wake: () => void;
  random: (size: number) => Buffer;
  /** Makes a function that works for the client's request that is handled now, whenever it is called. */
  bind: RequestTraces['bind'];
}

/** The KubeVirt virtual machine that a BMC names. */
export class KubeVirtHypervisor implements Hypervisor {
  readonly machine: Machine;
  readonly #log: BmcEventLog;
  readonly #status: BmcStatus;
  readonly #watches: MachineWatches;
  readonly #power: PowerControl;
  readonly #availability: PowerAvailability;
  readonly #override: BootOverrideControl;
  readonly #setup: FirmwareSetup;
  readonly #media: KubeVirtMedia;
  readonly #expanded: ExpandedVm;
  readonly #firmware: FirmwareControl;
  readonly #smbios: SmbiosReader;
  readonly #usage: LauncherUsage;
  #lastVmi: MachinePair['vmi'];

  constructor(options: KubeVirtOptions) {
    const { client, bmc, status, clock, random, signal, logger, log, report, wake, bind } = options;
    const { namespace = '' } = bmc.metadata;
    const machine = { namespace, name: bmc.spec.virtualMachineRef.name };
    const common: MachineContext = { client, machine, status, report, clock, signal, logger };
    const cached = (): MachinePair | undefined => this.#watches.pair;
    const consoleOptions = { vm: machine, open: options.openConsole, cached, clock, random };
    const console = new KubeVirtConsole(consoleOptions);
    const display = new KubeVirtDisplay({ ...consoleOptions, client });
    this.#log = log;
    this.#status = status;
    this.#watches = new MachineWatches(options.watches, machine.name, () => {
      console.follow();
      display.follow();
      wake();
    });
    this.#power = new PowerControl(common);
    const { readers } = options;
    this.#availability = new PowerAvailability({
      ...common,
      onChange: wake,
      ...(readers === undefined ? {} : { probe: (...target) => readers.probe(...target) }),
    });
    this.#override = new BootOverrideControl({
      ...common,
      // An override must not lapse early because the system's time is set.
      clock: unhurried(clock),
      ...overrideReports(options),
    });
    this.#setup = new FirmwareSetup({
      ...common,
      onResumed: () => {
        report(...SETUP_OFFERED);
      },
    });
    this.#media = new KubeVirtMedia({ ...options, machine, powerCycle: () => this.#power.power('PowerCycle') });
    this.#expanded = new ExpandedVm(common);
    this.#smbios = readers?.smbios ?? new SmbiosReader(common);
    this.#usage = new LauncherUsage({ ...common, vmi: () => cached()?.vmi });
    this.#firmware = new FirmwareControl(common);
    if (options.metrics === true) void this.#usage.run(signal);
    this.machine = new KubeVirtMachine({
      ...{ machine, cached, bootOverride: this.#override, log, console, display, media: this.#media, clock, logger },
      isFresh: () => this.#watches.isFresh,
      refresh: () => bind(() => this.#watches.refresh())(),
      jitter: () => (random(1)[0] ?? 0) / 0x100,
      queue: { run: (task) => options.queue.run(() => this.#availability.noting(task)) },
      power: {
        stateOf: (pair) => this.#stateOf(pair),
        power: async (...asked) => {
          const isAccepted = await this.#power.power(...asked);
          if (isAccepted) this.#availability.noteAccepted();
          return isAccepted;
        },
      },
      firmware: this.#firmware,
      restorePolicy: new RestorePolicyControl(common),
      hardware: (pair) => this.#hardware(pair),
      sensors: () => this.#sensors(),
      report: ({ outcome, reason, message }) => {
        report(outcome === 'refused' ? 'Warning' : 'Normal', reason, message);
        wake();
      },
    });
  }

  get hasSettled(): boolean {
    return this.#watches.pair !== undefined;
  }

  get dueIn(): number | undefined {
    const lapsesIn = this.#override.lapsesIn(this.#watches.vm);
    const parts = [lapsesIn, this.#availability.dueIn, this.#power.dueIn];
    const due = Math.min(...parts.map((part) => part ?? Infinity));
    return due === Infinity ? undefined : due;
  }

  prefetch(): void {
    const { pair } = this.#watches;
    if (pair !== undefined) void this.#expanded.follow(pair);
    void this.#smbios.follow();
  }

  async steps(): Promise<readonly ReconcileStep[]> {
    // The watches of VM and VMI are independent, so either may be stale.
    await this.#watches.refresh();
    const { pair } = this.#watches;
    if (pair === undefined) return [];
    this.#log.see(this.#look);
    this.#availability.follow(pair.vm);
    const noting = (work: () => Promise<void>) => () => this.#availability.noting(work);
    return [
      { name: 'boot override', work: noting(() => this.#override.settle(pair)) },
      ...this.#media.slots.map((slot) => ({ name: `virtual media ${slot.id}`, work: () => slot.settle(pair) })),
      { name: 'power', work: noting(() => this.#power.settle(pair)) },
      { name: 'firmware setup', work: noting(() => this.#setup.settle(pair.vmi)) },
    ];
  }

  status(before: Condition | undefined, observedGeneration: number | undefined): MachineStatus | undefined {
    const { pair } = this.#watches;
    // A BMC must not become Ready and then be refused.
    if (pair === undefined || this.#availability.isPending) return undefined;
    const powerControlAvailable = this.#availability.condition(before, observedGeneration);
    return { powerState: this.#knownStateOf(pair), powerControlAvailable };
  }

  stop(): void {
    this.#watches.stop();
    this.#media.stop();
  }

  /**
   * A user's pause reads as paused; a pause for the firmware setup ends at once and does not.
   *
   * @throws MachineError
   */
  #stateOf(pair: MachinePair): PowerState {
    const state = this.#power.stateOf(pair);
    return state === 'Paused' && this.#setup.holds(pair.vmi) ? 'On' : state;
  }

  #knownStateOf(pair: MachinePair): PowerState | undefined {
    try {
      return this.#stateOf(pair);
    } catch (error) {
      if (error instanceof MachineError) return undefined;
      throw error;
    }
  }

  #hardware(pair: MachinePair): Hardware {
    this.#keep(pair.vmi);
    const { vm, vmi } = this.#expanded.in(pair);
    return hardwareOf({
      // A machine that is off has no hardware but its own.
      vm: vm && vmi === undefined ? this.#firmware.ownIn(vm) : vm,
      vmi,
      smbios: this.#smbios.current,
      lastVmi: this.#lastVmi,
      leased: this.#status.latest?.status?.networkInterfaces,
    });
  }

  /** Undefined: not known for sure. */
  readonly #look = (before: ObservedState | undefined): ObservedState | undefined => {
    const { pair, isFresh } = this.#watches;
    return pair === undefined || !isFresh ? undefined : observedStateOf(pair.vmi, before);
  };

  #keep(vmi: MachinePair['vmi']): void {
    if (vmi !== undefined) this.#lastVmi = lastVmiOf(vmi);
  }

  #sensors(): readonly Sensor[] {
    const { pair } = this.#watches;
    this.#keep(pair?.vmi);
    return sensorsOf({
      pair: pair && this.#expanded.in(pair),
      powerState: pair && this.#knownStateOf(pair),
      usage: this.#usage.current,
      lastVmi: this.#lastVmi,
    });
  }
}

/** Reports what happens to boot overrides without a client's request. */
function overrideReports({ report, log }: KubeVirtOptions): Pick<BootOverrideControlOptions, 'onSettled'> {
  return {
    onSettled: (done, override) => {
      const told = tellSettled(done, override);
      if (told !== undefined) report(...told.event);
      if (told?.entry !== undefined) log.append(told.entry);
    },
  };
}

/** Watches a VM and its VMI, which has the same name. */
class MachineWatches {
  readonly #vm: ObjectWatch<VirtualMachine>;
  readonly #vmi: ObjectWatch<VirtualMachineInstance>;

  /** @param onChange called when `pair` may have changed */
  constructor(watches: ObjectWatches, name: string, onChange: () => void) {
    this.#vm = watches.watch(VIRTUAL_MACHINES, name, onChange);
    this.#vmi = watches.watch(VIRTUAL_MACHINE_INSTANCES, name, onChange);
  }

  get vm(): VirtualMachine | undefined {
    return this.#vm.object;
  }

  /** Undefined until both watches have started. */
  get pair(): MachinePair | undefined {
    return this.#vm.hasSettled && this.#vmi.hasSettled ? { vm: this.#vm.object, vmi: this.#vmi.object } : undefined;
  }

  /** Whether the pair is recent enough to rely on. */
  get isFresh(): boolean {
    return this.#vm.isFresh && this.#vmi.isFresh;
  }

  /** Reads stale objects of the pair from the API server, for up to 2 s. Never rejects; see `isFresh`. */
  async refresh(): Promise<void> {
    await Promise.all([this.#vm.refresh(), this.#vmi.refresh()]);
  }

  stop(): void {
    this.#vm.stop();
    this.#vmi.stop();
  }
}
