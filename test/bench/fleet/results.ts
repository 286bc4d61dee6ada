import type { Kill } from './kill-agent.ts';
import type { Placement } from './objects.ts';
import type { Sight } from './observer.ts';
import type { ProcessRecord } from './processes.ts';
import type { Attempt } from './storm.ts';
import type { ServerKind } from './cluster/stage.ts';

export interface FleetOptions {
  vms: number;
  server: ServerKind;
  placement: Placement;
  /** VMs that are on before the storm, and whose power is cycled in it. */
  cycled: number;
  /** ms */
  bootTime: number;
  /** Whether an agent is killed during the storm. */
  killAgent: boolean;
  /** Folder for the logs of all processes; undefined: they are removed. */
  logs?: string;
}

/** A VM that was lost, started twice, or whose client gave up. */
export interface FleetError {
  vm: string;
  reason: string;
}

/** ms */
export interface Quantiles {
  p50: number;
  p90: number;
  p99: number;
  most: number;
}

/** ms from the first power request, for each VM in ascending order. */
export interface Curves {
  requested: number[];
  answered: number[];
  running: number[];
  leased: number[];
}

export interface ProcessFigures {
  role: string;
  /** ms of processor time during the storm. */
  processorTime: number;
  /** MB at the end, and the most at any time. */
  resident: number;
  most: number;
  /** ms from the first power request, MB. */
  memory: [time: number, resident: number][];
}

/** All that a run has measured. */
export interface FleetResult {
  options: FleetOptions;
  /** Number of VMs by client. */
  clients: Record<string, number>;
  errors: FleetError[];
  /** Number of VMs that were started exactly once in the storm, as a watch shows, and that have their lease. */
  startedOnce: number;
  leased: number;
  /** Number of starts in the storm that the API server has counted. */
  starts: number;
  /** Retransmissions and repeated requests of clients. */
  repeats: number;
  /** ms from the creation of the first VM until all BMCs were Ready. */
  setUp: number;
  /** ms from the first power request until the last VM had its address. */
  storm: number;
  /** ms from the power request of each VM. */
  times: Record<'toAnswer' | 'toRunning' | 'toLease', number[]>;
  latencies: { toAnswer: Quantiles; toRunning: Quantiles; toLease: Quantiles };
  curves: Curves;
  processes: ProcessFigures[];
  /** API requests for each VM: of the whole run, and of the storm. */
  requests: Record<
    'manager' | 'BMC agents' | 'DHCP agents' | 'simulator and load generator',
    { all: number; storm: number }
  >;
  kill?: Kill;
}

/** NaN without values. */
export function quantiles(values: readonly number[]): Quantiles {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1) };
}

/** Milliseconds without a sample after which a process has ended. */
const ENDED = 1_000;

/** What is wrong with one VM, if anything. */
export function errorsOf(attempt: Attempt, sight: Sight): FleetError[] {
  const { vm, errors, isOn } = attempt;
  const reasons = errors.map(({ phase, reason }) => `${phase}: ${reason}`);
  const instances = sight.instances.size;
  if (instances === 0) reasons.push('lost: it was never started');
  else if (sight.running === undefined) reasons.push('lost: it was started and never ran');
  else if (sight.leased === undefined) reasons.push('lost: it runs without the address of its lease');
  if (instances > 1) reasons.push(`doubled: it was started ${instances} times`);
  if (isOn === false) reasons.push('its BMC says that it is off');
  return reasons.map((reason) => ({ vm, reason }));
}

/** Whether nothing was lost, doubled or refused. */
export function isClean({ errors, options, starts, startedOnce, leased }: FleetResult): boolean {
  return errors.length === 0 && [starts, startedOnce, leased].every((count) => count === options.vms);
}

/**
 * Figures of the processes of one role each, agents first.
 *
 * @param before processor time of each at the beginning of the storm
 * @param zero time of the first power request
 */
export function processFigures(
  records: readonly ProcessRecord[],
  before: ReadonlyMap<ProcessRecord, number>,
  zero: number,
): ProcessFigures[] {
  const end = Math.max(...records.map(({ memory }) => memory.at(-1)?.[0] ?? 0));
  return records
    .map((record) => ({
      role: (record.memory.at(-1)?.[0] ?? 0) < end - ENDED ? `${record.role}, ended` : record.role,
      processorTime: record.processorTime - (before.get(record) ?? 0),
      resident: record.memory.at(-1)?.[1] ?? 0,
      most: Math.max(...record.memory.map(([, resident]) => resident)),
      memory: record.memory.map(([time, resident]): [number, number] => [time - zero, resident]),
    }))
    .toSorted((one, other) => one.role.localeCompare(other.role));
}
