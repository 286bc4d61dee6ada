import type { Kill } from '../kill-agent.ts';
import type { FleetResult, Quantiles } from '../results.ts';

/** Figures of a run as text with units, for the terminal and the HTML report. */
export interface FigureGroup {
  title: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** Most ms from the start of the agent that replaces a killed one until all its BMCs answer (issue 18). */
const RECOVERY_GOAL = 10_000;

export function figureGroups(result: FleetResult): FigureGroup[] {
  const { latencies, kill } = result;
  return [
    { title: 'Fleet', columns: ['what', 'value'], rows: fleetRows(result) },
    {
      title: 'Times from the power request of a VM',
      columns: ['until', 'p50', 'p90', 'p99', 'most'],
      rows: [
        ['its answer', ...quantileCells(latencies.toAnswer)],
        ['the VM runs', ...quantileCells(latencies.toRunning)],
        ['its guest has the leased address', ...quantileCells(latencies.toLease)],
      ],
    },
    ...(kill === undefined ? [] : [{ title: 'Killed agent', columns: ['what', 'value'], rows: killRows(kill) }]),
    {
      title: 'Processes',
      columns: ['process', 'processor time in the storm', 'share', 'resident at its end', 'most resident'],
      rows: processRows(result),
    },
    {
      title: 'Requests to the API server for each VM',
      columns: ['by', 'in the whole run', 'in the storm'],
      rows: Object.entries(result.requests).map(([by, { all, storm }]) => [by, all.toFixed(1), storm.toFixed(1)]),
    },
  ];
}

function fleetRows(result: FleetResult): string[][] {
  const { options, clients, errors, startedOnce, starts, leased, repeats, setUp, storm } = result;
  const rate = (ms: number): string => `${((options.vms * 1000) / ms).toFixed(1)} VMs/s`;
  return [
    ['VMs', String(options.vms)],
    [
      'clients',
      Object.entries(clients)
        .map(([tool, count]) => `${tool} ${count}`)
        .join(', '),
    ],
    ['errors', String(errors.length)],
    ['VMs started exactly once', `${startedOnce} (${starts} starts in all)`],
    ['VMs with their lease', String(leased)],
    ['requests that clients repeated', String(repeats)],
    ['set-up until all BMCs are Ready', `${seconds(setUp)} (${rate(setUp)})`],
    ['storm until the last VM has its address', `${seconds(storm)} (${rate(storm)})`],
  ];
}

function killRows({ pod, bmcs, successor, restarted, ipmi, redfish }: Kill): string[][] {
  const last = ipmi === undefined || redfish === undefined ? undefined : Math.max(ipmi, redfish);
  // A standby has started long before; then the kill is the start of the replacement.
  const from = successor === pod ? (restarted ?? 0) : 0;
  const recovery = last === undefined ? undefined : last - from;
  const verdict = recovery !== undefined && recovery <= RECOVERY_GOAL ? 'met' : 'missed';
  return [
    ['pod', pod],
    ['BMCs that it served', String(bmcs)],
    ['pod that serves them now', successor],
    ['its process was started again after', seconds(restarted)],
    ['all answer IPMI again after', seconds(ipmi)],
    ['all answer Redfish again after', seconds(redfish)],
    [
      `all answer again, from the ${successor === pod ? 'start of the new process' : 'kill'}`,
      `${seconds(recovery)} (goal: ${seconds(RECOVERY_GOAL)}, ${verdict})`,
    ],
  ];
}

function processRows({ processes }: FleetResult): string[][] {
  const all = processes.reduce((sum, { processorTime }) => sum + processorTime, 0);
  return processes.map(({ role, processorTime, resident, most }) => [
    role,
    seconds(processorTime),
    `${((processorTime / all) * 100).toFixed(0)} %`,
    megabytes(resident),
    megabytes(most),
  ]);
}

function quantileCells({ p50, p90, p99, most }: Quantiles): string[] {
  return [p50, p90, p99, most].map(seconds);
}

function seconds(ms: number | undefined): string {
  return ms === undefined || Number.isNaN(ms) ? 'not seen' : `${(ms / 1000).toFixed(2)} s`;
}

function megabytes(value: number): string {
  return `${value.toFixed(0)} MB`;
}
