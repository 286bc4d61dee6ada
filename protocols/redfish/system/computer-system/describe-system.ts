import type { Hardware } from '../../../machine/index.ts';
import { dateTime } from '../../date-time.ts';
import type { JsonObject } from '../../json.ts';
import type { RedfishOptions } from '../../options.ts';
import { CHASSIS, link, MANAGER, SYSTEM, VIRTUAL_MEDIA } from '../../uris.ts';
import { describeBoot } from '../boot/index.ts';
import { BIOS, ETHERNET_INTERFACES, MEMORY, PROCESSORS, SECURE_BOOT, SIMPLE_STORAGE, STORAGE } from '../paths.ts';
import { lastResetAt } from './last-reset.ts';
import { lastBootState, STATES } from './power-conditions.ts';

const RESTORE_POLICIES = { AlwaysOn: 'AlwaysOn', AlwaysOff: 'AlwaysOff', Previous: 'LastState' } as const;

/**
 * The properties of ComputerSystem. With legacy properties the serial console is at the Manager: the System's has no
 * `ConnectTypesSupported`, which OCP's server profile requires.
 *
 * @throws MachineError `Unavailable` if the power state is not known
 */
export function describeSystem({ machine, state, network, legacyProperties }: RedfishOptions): JsonObject {
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
    SKU: null,
    SerialNumber: identity.serial ?? hardware.serial ?? null,
    AssetTag: assetTag ?? hardware.assetTag ?? null,
    UUID: identity.uuid ?? null,
    HostName: hardware.operatingSystem?.hostname ?? null,
    // KubeVirt does not report the firmware version.
    BiosVersion: null,
    PowerState: power,
    ...(policy && { PowerRestorePolicy: RESTORE_POLICIES[policy] }),
    BootProgress: { LastState: lastBootState(power, hardware) },
    ...(resetAt !== undefined && { LastResetTime: dateTime(resetAt) }),
    Status: { State: STATES[power], Health: 'OK', HealthRollup: 'OK' },
    LocationIndicatorActive: indicatorActive,
    ...(legacyProperties()
      ? { IndicatorLED: indicatorActive ? 'Lit' : 'Off' }
      : { SerialConsole: describeConsole(network().ipmiPort) }),
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
    Links: { Chassis: [link(CHASSIS)], ManagedBy: [link(MANAGER)] },
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

/** IPMI serial over LAN. @param port of IPMI; undefined: not served */
function describeConsole(port: number | undefined): JsonObject {
  const isServed = port !== undefined;
  return { MaxConcurrentSessions: isServed ? 1 : 0, IPMI: { ServiceEnabled: isServed, Port: port ?? null } };
}
