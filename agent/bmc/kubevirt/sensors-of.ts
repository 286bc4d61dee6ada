import { hasEnded, type VirtualMachineInstance } from '../../../api/index.ts';
import type { PowerState, Sensor, SensorReading, SensorUnit } from '../../../protocols/machine/index.ts';
import { cpuCountOf, memoryBytesOf } from './hardware-of.ts';
import type { MachinePair } from './machine-objects.ts';

/** What the pod of a VMI uses. */
export interface PodUsage {
  /** Processors, such as 0.25. */
  cpus: number;
  memoryBytes: number;
}

export interface SensorSources {
  /** Undefined while the watches have not heard of the cluster. */
  pair: MachinePair | undefined;
  /** Undefined while it is not known. */
  powerState: PowerState | undefined;
  /** Of the VMI in `pair`; undefined where nobody measures it. */
  usage: PodUsage | undefined;
  /**
   * The VMI that there was last. While there is none, an instance type's memory and vCPUs stand nowhere else, and ranges that came and
   * went with it would be other records: FreeIPMI's tools refuse to work until their cache of those is flushed.
   */
  lastVmi?: VirtualMachineInstance | undefined;
}

/** Sensor types of IPMI 2.0 table 42-3, with the offsets that are used. */
const ACPI_POWER_STATE = { type: 0x22, working: 0, sleeping: 1, softOff: 6 };
const ENTITY_PRESENCE = { type: 0x25, present: 0, absent: 1 };
const INTERCONNECT = { type: 0x1b, connected: 0 };

const MEBIBYTE = 2 ** 20;
/** A guest has fewer vCPUs than can be told apart one by one, or it has hundreds. */
const CPU_RANGES = [255, 1020];
/** MiB of the smallest range. */
const LEAST_MEMORY = 1024;

/**
 * What is measured of a VM, each from a source that it names; what its source does not say has no reading. Numbers are part of event
 * logs and of clients' caches, and stay.
 */
export function sensorsOf({ pair, powerState, usage, lastVmi }: SensorSources): readonly Sensor[] {
  const { vm, vmi } = pair ?? { vm: undefined, vmi: undefined };
  const guest = runningGuest(vmi);
  const machine = { vm, vmi };
  const cpus = cpuCountOf(machine);
  const memory = mebibytes(memoryBytesOf(machine));
  const last = { vm: undefined, vmi: lastVmi };
  const mostCpus = cpuRange(cpus ?? cpuCountOf(last));
  const mostMemory = memoryRange(memory ?? mebibytes(memoryBytesOf(last)));
  const measured = guest === undefined ? undefined : usage;
  return [
    sensor(1, 'Power State', 'VM and VMI status', powerReading(powerState)),
    sensor(2, 'Guest Agent', 'VMI status', agentReading(guest)),
    sensor(3, 'Network Link', 'VMI status', linkReading(guest)),
    sensor(4, 'vCPUs', 'VM and VMI spec', number('Count', mostCpus, cpus)),
    sensor(5, 'Memory', 'VM and VMI spec', number('MiB', mostMemory, memory)),
    sensor(6, 'CPU Used', 'metrics.k8s.io', number('Percent', 100, percentOf(measured?.cpus, cpus))),
    sensor(7, 'Memory Used', 'metrics.k8s.io', usedMemory(measured?.memoryBytes, mostMemory)),
  ];
}

/** A VMI whose guest runs where somebody can see it. */
function runningGuest(vmi: VirtualMachineInstance | undefined): VirtualMachineInstance | undefined {
  return vmi !== undefined && !hasEnded(vmi) && vmi.status?.phase === 'Running' ? vmi : undefined;
}

function sensor(number: number, name: string, source: string, reading: SensorReading): Sensor {
  return { number, name, source, reading };
}

function number(unit: SensorUnit, max: number, value: number | undefined): SensorReading {
  return { kind: 'Number', unit, min: 0, max, value: value === undefined ? undefined : Math.min(value, max) };
}

/**
 * As Get Chassis Status reads it: a machine that is coming up is off still, one that is going down is on. A paused one, whose processors
 * stand still and keep what they hold, is in S1, as the event log has it.
 */
function powerReading(state: PowerState | undefined): SensorReading {
  const { type, working, sleeping, softOff } = ACPI_POWER_STATE;
  const isOff = state === 'Off' || state === 'PoweringOn';
  const powered = state === 'Paused' ? sleeping : working;
  return {
    kind: 'States',
    type,
    possible: [working, sleeping, softOff],
    states: state === undefined ? undefined : [isOff ? softOff : powered],
  };
}

function agentReading(guest: VirtualMachineInstance | undefined): SensorReading {
  const { type, present, absent } = ENTITY_PRESENCE;
  const isConnected = guest?.status?.conditions?.some(
    (condition) => condition.type === 'AgentConnected' && condition.status === 'True',
  );
  const states = guest === undefined ? undefined : [isConnected === true ? present : absent];
  return { kind: 'States', type, possible: [present, absent], states };
}

/** Whether any interface has a link; there is no state for that none has. */
function linkReading(guest: VirtualMachineInstance | undefined): SensorReading {
  const { type, connected } = INTERCONNECT;
  const links = (guest?.status?.interfaces ?? []).flatMap(({ linkState }) => linkState ?? []);
  const states = links.length === 0 ? undefined : links.includes('up') ? [connected] : [];
  return { kind: 'States', type, possible: [connected], states };
}

function mebibytes(bytes: number | undefined): number | undefined {
  return bytes === undefined ? undefined : Math.round(bytes / MEBIBYTE);
}

function cpuRange(cpus = 0): number {
  return CPU_RANGES.find((range) => cpus <= range) ?? cpus;
}

/** Powers of two, so that the steps of the reading are such too and show the usual sizes exactly. */
function memoryRange(memory = 0): number {
  return Math.max(2 ** Math.ceil(Math.log2(Math.max(memory, 1))), LEAST_MEMORY);
}

/** Of all vCPUs. What the launcher itself needs counts too, so that it may seem to be above all. */
function percentOf(cpus: number | undefined, count: number | undefined): number | undefined {
  return cpus === undefined || count === undefined ? undefined : (100 * cpus) / count;
}

/** The pod's: the guest's memory as far as it was ever touched, and what the launcher itself needs, hence the wider range. */
function usedMemory(bytes: number | undefined, most: number): SensorReading {
  return number('MiB', 2 * most, bytes === undefined ? undefined : bytes / MEBIBYTE);
}
