import { hasEnded, type VirtualMachineInstance } from '../../../api/index.ts';
import type { PowerState, Sensor, SensorReading, SensorUnit } from '../../../protocols/machine/index.ts';
import { cpuCountOf, memoryBytesOf } from './hardware-of.ts';
import type { MachinePair } from './machine-objects.ts';

/** Resource usage of the pod of a VMI. */
export interface PodUsage {
  /** Processors, such as 0.25. */
  cpus: number;
  memoryBytes: number;
}

export interface SensorSources {
  /** Undefined until the watches have started. */
  pair: MachinePair | undefined;
  /** Undefined if unknown. */
  powerState: PowerState | undefined;
  /** Of the VMI in `pair`; undefined if it is not measured. */
  usage: PodUsage | undefined;
  /**
   * The last VMI. While the machine is off, only it has the memory and the vCPUs of an instance type, and so the ranges of
   * the sensors. If the ranges changed, FreeIPMI's tools would refuse to work until their cache is flushed.
   */
  lastVmi?: VirtualMachineInstance | undefined;
}

/** Sensor types of IPMI 2.0 table 42-3, with the offsets that are used. */
const ACPI_POWER_STATE = { type: 0x22, working: 0, sleeping: 1, softOff: 6 };
const ENTITY_PRESENCE = { type: 0x25, present: 0, absent: 1 };
const INTERCONNECT = { type: 0x1b, connected: 0 };

const MEBIBYTE = 2 ** 20;
/** Maximum readings of the vCPU sensor: up to 255 vCPUs are shown exactly. */
const CPU_RANGES = [255, 1020];
/** MiB; the smallest range of the memory sensor. */
const LEAST_MEMORY = 1024;

/**
 * The sensors of a VM, each with the name of its source. A sensor has no reading if its source does not have the value.
 * The numbers must not change: event logs and clients' caches contain them.
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

/** The VMI if its guest runs on a node that responds. */
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
 * Like Get Chassis Status: a machine that is powering on reads as off, and one that is powering off as on. A paused machine
 * is in S1, like in the event log.
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

/** Whether any interface has a link. The sensor type has no state for "no link". */
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

/** A power of two, so that the usual memory sizes are shown exactly. */
function memoryRange(memory = 0): number {
  return Math.max(2 ** Math.ceil(Math.log2(Math.max(memory, 1))), LEAST_MEMORY);
}

/** Percent of all vCPUs. Includes the usage of the launcher, so it may exceed 100. */
function percentOf(cpus: number | undefined, count: number | undefined): number | undefined {
  return cpus === undefined || count === undefined ? undefined : (100 * cpus) / count;
}

/** Memory of the pod: the memory that the guest has ever touched, and that of the launcher; hence twice the range. */
function usedMemory(bytes: number | undefined, most: number): SensorReading {
  return number('MiB', 2 * most, bytes === undefined ? undefined : bytes / MEBIBYTE);
}
