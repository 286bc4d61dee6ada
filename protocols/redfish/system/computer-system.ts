import type { Hardware, Machine, MachineEvent, PowerState } from '../../machine/index.ts';
import type { RedfishContext } from '../context.ts';
import { dateTime, type JsonObject } from '../json.ts';
import { CHASSIS, link, MANAGER, SYSTEM, VIRTUAL_MEDIA } from '../uris.ts';
import type { RedfishOptions, WatchdogState } from '../options.ts';
import type { Resource } from '../resource.ts';
import { describeGraphicalConsole, describeSerialConsole } from '../consoles/described-consoles.ts';
import { describeBoot } from './boot.ts';
import { trustedComponentsOf, trustedModulesOf } from './hardware.ts';
import { patchSystem, RESTORE_POLICIES } from './patch-system.ts';
import { reset, setDefaultBootOrder } from './reset.ts';
import {
  BIOS,
  ETHERNET_INTERFACES,
  MEMORY,
  partUri,
  PROCESSORS,
  SECURE_BOOT,
  SIMPLE_STORAGE,
  STORAGE,
  TRUSTED_COMPONENTS,
} from './part.ts';

/** The machine. Reading it throws MachineError `Unavailable` while the power state is not known. */
export function computerSystem({ options }: RedfishContext): Resource {
  return {
    type: 'ComputerSystem.v1_27_0.ComputerSystem',
    read: async () => {
      await options.machine.refresh();
      return describeSystem(options);
    },
    patch: patchSystem(options),
    actions: [reset(options.machine), setDefaultBootOrder(options.machine)],
  };
}

/**
 * The properties of ComputerSystem. With legacy properties the serial console is at the Manager: the System's has no
 * `ConnectTypesSupported`, which OCP's server profile requires.
 *
 * @throws MachineError `Unavailable` if the power state is not known
 */
function describeSystem(options: RedfishOptions): JsonObject {
  const { machine, state, watchdog, legacyProperties } = options;
  const power = machine.powerState();
  const hardware = machine.hardware();
  const identity = machine.identity();
  const { assetTag, indicatorActive = false, boot } = state.current().settings ?? {};
  const resetAt = lastResetAt(machine);
  const policy = machine.restorePolicy();
  return {
    Id: '1',
    Name: identity.name,
    SystemType: 'Virtual',
    Manufacturer: hardware.manufacturer,
    Model: hardware.model ?? null,
    SKU: hardware.sku ?? null,
    SerialNumber: identity.serial ?? hardware.serial ?? null,
    AssetTag: assetTag ?? hardware.assetTag ?? null,
    UUID: identity.uuid ?? null,
    HostName: hardware.operatingSystem?.hostname ?? null,
    BiosVersion: hardware.firmwareVersion ?? null,
    PowerState: power,
    ...(policy && {
      PowerRestorePolicy: RESTORE_POLICIES.find(([own]) => own === policy)?.[1],
      'PowerRestorePolicy@Redfish.AllowableValues': RESTORE_POLICIES.map(([, word]) => word),
    }),
    HostWatchdogTimer: describeWatchdog(hardware, watchdog()),
    BootProgress: { LastState: lastBootState(power, hardware) },
    ...(resetAt !== undefined && { LastResetTime: dateTime(resetAt) }),
    Status: { State: STATES[power], Health: 'OK', HealthRollup: 'OK' },
    LocationIndicatorActive: indicatorActive,
    ...(legacyProperties()
      ? { IndicatorLED: indicatorActive ? 'Lit' : 'Off', ...trustedModulesOf(hardware) }
      : { SerialConsole: describeSerialConsole(options) }),
    ...(options.webConsole && { GraphicalConsole: describeGraphicalConsole(options) }),
    Boot: describeBoot(machine, boot),
    ProcessorSummary: summariseProcessors(hardware),
    MemorySummary: {
      TotalSystemMemoryGiB: hardware.memoryBytes === undefined ? null : hardware.memoryBytes / 2 ** 30,
    },
    Bios: link(BIOS),
    SecureBoot: link(SECURE_BOOT),
    Processors: link(PROCESSORS),
    Memory: link(MEMORY),
    EthernetInterfaces: link(ETHERNET_INTERFACES),
    Storage: link(STORAGE),
    SimpleStorage: link(SIMPLE_STORAGE),
    VirtualMedia: link(VIRTUAL_MEDIA),
    LogServices: link(`${SYSTEM}/LogServices`),
    Links: {
      Chassis: [link(CHASSIS)],
      ManagedBy: [link(MANAGER)],
      TrustedComponents: trustedComponentsOf(hardware).map(({ id }) => link(partUri(TRUSTED_COMPONENTS, id))),
    },
  };
}

const TIMEOUT_ACTIONS = {
  None: 'None',
  Reset: 'ResetSystem',
  PowerDown: 'PowerDown',
  PowerCycle: 'PowerCycle',
} as const satisfies Record<WatchdogState['action'], string>;

/** Both are set elsewhere: the BMC's timer by IPMI clients, the machine's device by its owner. A timer that runs is shown first. */
function describeWatchdog({ watchdog: device }: Hardware, timer: WatchdogState | undefined): JsonObject {
  const isRunning = timer?.isRunning === true;
  const action = isRunning ? timer.action : (device ?? timer?.action ?? 'None');
  const isEnabled = isRunning || device !== undefined;
  return {
    FunctionEnabled: isEnabled,
    TimeoutAction: TIMEOUT_ACTIONS[action],
    WarningAction: 'None',
    Status: { State: isEnabled ? 'Enabled' : 'Disabled', Health: 'OK' },
  };
}

function summariseProcessors({ topology, cpuCount, cpuModel }: Hardware): JsonObject {
  return {
    Count: topology?.sockets ?? null,
    CoreCount: topology === undefined ? null : topology.sockets * topology.cores,
    LogicalProcessorCount:
      topology === undefined ? (cpuCount ?? null) : topology.sockets * topology.cores * topology.threads,
    ...(topology && { ThreadingEnabled: topology.threads > 1 }),
    Model: cpuModel ?? null,
  };
}

/**
 * Time of the last power-on or logged reset, ms since 1970; undefined: not known. A graceful restart does not count: its time is
 * not known.
 */
function lastResetAt(machine: Machine): number | undefined {
  const since = machine.poweredOnSince();
  if (since === undefined) return undefined;
  const reset = machine.log.entries().findLast(({ event }) => isReset(event));
  return Math.max(since, reset?.at ?? since);
}

function isReset(event: MachineEvent): boolean {
  return event.kind === 'PowerAction' && event.action === 'ForceRestart' && event.outcome === 'Accepted';
}

/** `Status.State` of a machine in each power state. */
const STATES = {
  Off: 'StandbyOffline',
  PoweringOn: 'Starting',
  On: 'Enabled',
  PoweringOff: 'Enabled',
  Paused: 'Quiesced',
} as const satisfies Record<PowerState, string>;

/** Boot progress: none without power, up if a guest agent answers, otherwise unknown. */
function lastBootState(state: PowerState, { operatingSystem }: Hardware): string | null {
  if (state === 'Off') return 'None';
  return operatingSystem !== undefined && (state === 'On' || state === 'Paused') ? 'OSRunning' : null;
}
