import { eventLogName, type VirtualMachineBMC } from '../../api/index.ts';
import { CONFIG_MAPS, type ConfigMap, type Logger } from '@groundcrew/controller-runtime';
import { type Machine, MachineError, type PowerState } from '../../protocols/machine/index.ts';
import { SerialQueue } from '../../protocols/serial-queue.ts';
import { BmcAccounts } from './accounts/bmc-accounts.ts';
import type { BmcDependencies } from './bmc-dependencies.ts';
import { BmcObjects } from './bmc-objects.ts';
import { BootOverrideControl } from './kubevirt/boot/boot-override-control.ts';
import { FirmwareSetup } from './kubevirt/boot/firmware-setup.ts';
import { KubeVirtConsole } from './kubevirt/console/kubevirt-console.ts';
import { ExpandedVm } from './kubevirt/expanded-vm.ts';
import { hardwareOf } from './kubevirt/hardware-of.ts';
import { BmcEventLog } from './log/bmc-event-log.ts';
import { type ActionReport, KubeVirtMachine } from './kubevirt/kubevirt-machine.ts';
import type { MachinePair } from './kubevirt/machine-objects.ts';
import { KubeVirtMedia } from './kubevirt/media/kubevirt-media.ts';
import { OwnedObject } from './objects/owned-object.ts';
import { PowerAvailability } from './kubevirt/power/power-availability.ts';
import { PowerControl } from './kubevirt/power/power-control.ts';
import { SecureBootControl } from './kubevirt/boot/secure-boot-control.ts';
import { LauncherUsage } from './kubevirt/launcher-usage.ts';
import { sensorsOf } from './kubevirt/sensors-of.ts';
import { BmcState } from './state/bmc-state.ts';
import { MadeCredentials } from './state/made-credentials.ts';
import { BmcStatus } from './objects/bmc-status.ts';
import { type EventParts, SETUP_OFFERED, tellSettled, tellUnknown } from './kubevirt/boot/tell-settled.ts';

export interface BmcPartsOptions extends BmcDependencies {
  bmc: VirtualMachineBMC;
  /** The BMC from the watch cache. */
  latest: () => VirtualMachineBMC | undefined;
  /** Requests a `reconcile` soon. */
  wake: () => void;
  /** Stops background work. */
  signal: AbortSignal;
}

/** The parts of a BMC other than its protocol servers. */
export interface BmcParts {
  readonly logger: Logger;
  readonly objects: BmcObjects;
  readonly log: BmcEventLog;
  readonly state: BmcState;
  readonly made: MadeCredentials;
  readonly accounts: BmcAccounts;
  readonly status: BmcStatus;
  readonly power: PowerControl;
  readonly powerAvailability: PowerAvailability;
  readonly bootOverride: BootOverrideControl;
  readonly firmwareSetup: FirmwareSetup;
  readonly media: KubeVirtMedia;
  readonly expanded: ExpandedVm;
  /** Serializes changes of the machine. */
  readonly queue: SerialQueue;
  readonly machine: Machine;
  /** Emits an Event on the BMC. */
  readonly report: (...parts: EventParts) => void;
  /** Emits a Warning Event: a reason in CamelCase, and a sentence. */
  readonly warn: (reason: string, message: string) => void;
  /** Undefined if unknown. */
  readonly powerState: (pair: MachinePair) => PowerState | undefined;
}

/** Creates the parts of a BMC. They watch the cluster until each of them is stopped. */
export function bmcParts(options: BmcPartsOptions): BmcParts {
  const { bmc, client, watches, clock, random, latest, wake, signal } = options;
  const { namespace = '', name } = bmc.metadata;
  const vm = { namespace, name: bmc.spec.virtualMachineRef.name };
  const logger = options.logger.child({ bmc: `${namespace}/${name}` });

  const status = new BmcStatus({ client, bmc: { namespace, name }, cached: latest });
  const report = (...parts: EventParts): void => {
    options.events.event(status.latest ?? bmc, ...parts);
  };
  const warn = (reason: string, message: string): void => {
    report('Warning', reason, message);
  };

  const objects = new BmcObjects({
    ...{ watches, bmc },
    onChange: () => {
      console.follow();
      wake();
    },
  });
  const console = new KubeVirtConsole({
    ...{ vm, clock, random },
    open: options.openConsole,
    cached: () => objects.pair,
  });
  const log = eventLog(options, { warn, logger });
  const state = new BmcState({ client, watches, bmc, onChange: wake, report: warn, clock, signal, logger });
  const made = new MadeCredentials({ client, bmc, cached: () => objects.secret?.object, clock, signal });
  const accounts = new BmcAccounts({
    store: state.accounts,
    ownerSecret: () => ((latest() ?? bmc).spec.authSecretRef === undefined ? made : undefined),
  });

  const power = new PowerControl({ client, machine: vm, clock, signal });
  const powerAvailability = new PowerAvailability({
    ...{ client, machine: vm, clock, signal, logger, report },
    onChange: wake,
  });
  const firmwareSetup = new FirmwareSetup({
    ...{ client, machine: vm, status },
    onResumed: () => {
      report(...SETUP_OFFERED);
    },
  });
  // A user's pause reads as paused; a pause for the firmware setup ends at once and does not.
  const stateOf = (pair: MachinePair): PowerState => {
    const state = power.stateOf(pair);
    return state === 'Paused' && firmwareSetup.holds(pair.vmi) ? 'On' : state;
  };
  const powerState = (pair: MachinePair): PowerState | undefined => {
    try {
      return stateOf(pair);
    } catch (error) {
      if (error instanceof MachineError) return undefined;
      throw error;
    }
  };
  const bootOverride = new BootOverrideControl({
    ...{ client, machine: vm, status, clock, signal },
    onSettled: (done, override) => {
      const told = tellSettled(done, override);
      if (told !== undefined) report(...told.event);
      if (told?.entry !== undefined) log.append(told.entry);
    },
    onUnknown: (override) => {
      report(...tellUnknown(override));
    },
  });
  const queue = new SerialQueue();
  const usage = new LauncherUsage({ client, namespace, vmi: () => objects.pair?.vmi, clock, logger });
  if (options.metrics === true) void usage.run(signal);
  const media = new KubeVirtMedia({
    ...{ client, watches, bmc, machine: vm, status, queue, log, report, wake },
    ...{ random, clock, signal, logger, hosts: options.hosts },
  });
  const expanded = new ExpandedVm({ client, machine: vm, now: () => clock.now(), logger });
  let lastVmi: MachinePair['vmi'];
  const machine = new KubeVirtMachine({
    machine: vm,
    cached: () => objects.pair,
    isFresh: () => objects.isFresh,
    refresh: () => objects.refresh(),
    ...{ bootOverride, log, console, media, logger },
    queue: { run: (task) => queue.run(() => powerAvailability.noting(task)) },
    power: {
      stateOf,
      power: async (action) => {
        const isAccepted = await power.power(action);
        if (isAccepted) powerAvailability.noteAccepted();
        return isAccepted;
      },
    },
    secureBoot: new SecureBootControl({ client, machine: vm, status, clock, signal }),
    hardware: (pair) => hardwareOf(expanded.in(pair)),
    sensors: () => {
      const { pair } = objects;
      lastVmi = pair?.vmi ?? lastVmi;
      const state = pair === undefined ? undefined : powerState(pair);
      return sensorsOf({ pair: pair && expanded.in(pair), powerState: state, usage: usage.current, lastVmi });
    },
    report: (action: ActionReport): void => {
      report(action.outcome === 'refused' ? 'Warning' : 'Normal', action.reason, action.message);
      wake();
    },
  });
  return {
    logger,
    objects,
    log,
    state,
    made,
    accounts,
    status,
    power,
    powerAvailability,
    bootOverride,
    firmwareSetup,
    media,
    expanded,
    queue,
    machine,
    report,
    warn,
    powerState,
  };
}

function eventLog(
  { client, watches, bmc, random, clock, wake }: BmcPartsOptions,
  { warn, logger }: Pick<BmcParts, 'warn' | 'logger'>,
): BmcEventLog {
  const object = new OwnedObject<ConfigMap>({
    ...{ client, watches, bmc, kind: CONFIG_MAPS, name: eventLogName(bmc.metadata.name) },
    onChange: () => {
      log.follow();
      wake();
    },
  });
  const log = new BmcEventLog({ object, report: warn, random, clock, logger });
  return log;
}
