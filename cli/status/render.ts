import type { Painter } from '../paint.ts';
import { table, wrap, type Rows } from './layout.ts';
import type { Overview, Problem } from './overview.ts';
import { age, objectOf } from './problem.ts';
import { unready } from './overview-unready.ts';

/** How to print. */
export interface Style {
  /** Characters of a line; Infinity: nothing is cut or broken. */
  width: number;
  /** Print the columns that do not fit 80 characters. */
  wide: boolean;
  paint: Painter;
}

/** Formats the status screen: one table per kind, then the problems and what to do. */
export function render(overview: Overview, style: Style): string {
  const { wide } = style;
  const tables = [
    managers(overview, wide),
    rollouts(overview),
    sharedAgents(overview, wide),
    bmcs(overview, wide),
    pools(overview),
    leases(overview, wide),
  ];
  return [
    ...tables.filter((rows) => rows.length > 1).flatMap((rows) => [...printed(rows, style), '']),
    ...verdict(overview.problems, unready(overview), style),
    '',
  ].join('\n');
}

/** The lines of a table with a dim header. */
export function printed(rows: Rows, { width, paint }: Style): string[] {
  return table(rows, width).map((line, row) => (row === 0 ? paint.dim(line) : line));
}

function managers({ managers: rows, time }: Overview, wide: boolean): Rows {
  return [
    ['NAMESPACE', 'MANAGERS', 'LEADER', 'RENEWED', 'WEBHOOK', ...(wide ? ['DEPLOYMENT'] : [])],
    ...rows.map(({ namespace, deployment, ready, leader, renewed, webhook }) => [
      // The name of the pod, without what distinguishes its processes.
      ...[namespace, ready, wide ? leader : leader.replace(/_.*/, ''), ago(renewed, time), webhook],
      ...(wide ? [deployment] : []),
    ]),
  ];
}

function rollouts({ rollouts: rows }: Overview): Rows {
  return [
    ['NAMESPACE', 'ROLL-OUT', 'WAVE', 'UPDATED', 'READY', 'FAILING', 'HELD'],
    ...rows.map(({ namespace, phase, wave, total, updated, ready, failing, held }) => [
      ...[namespace, phase, String(wave), `${updated}/${total}`, `${ready}/${total}`],
      ...[failing, held].map(String),
    ]),
  ];
}

function sharedAgents({ sharedAgents: rows }: Overview, wide: boolean): Rows {
  return [
    ['NAMESPACE', 'SHARED AGENT', 'ACTING', 'PODS', 'BMCS', ...(wide ? ['NAMES'] : [])],
    ...rows.map(({ namespace, name, acting, ready, bmcs: names, capacity }) => [
      ...[namespace, name, acting, ready, [names.length, ...(capacity === undefined ? [] : [capacity])].join('/')],
      ...(wide ? [names.join(',')] : []),
    ]),
  ];
}

function bmcs({ bmcs: rows, time }: Overview, wide: boolean): Rows {
  const more = wide ? ['REDFISH', 'POD', 'LAST ACTION'] : [];
  return [
    ['NAMESPACE', 'NAME', 'VM', 'POWER', 'PHASE', 'AGENT', 'IPMI', ...more],
    ...rows.map(({ namespace, name, virtualMachine, power, phase, agentState, restarts, ipmi, ...row }) => {
      const action = row.lastAction && `${row.lastAction.reason} ${ago(row.lastAction.time, time)}`;
      const agent = restarts === 0 ? agentState : `${agentState} (${restarts})`;
      const rest = wide ? [row.redfish, row.agent, action ?? '-'] : [];
      return [namespace, name, virtualMachine, power, phase, agent, ipmi, ...rest];
    }),
  ];
}

function pools({ pools: rows }: Overview): Rows {
  return [
    ['NAMESPACE', 'POOL', 'NETWORK', 'USED', 'BOUND', 'RESTING', 'TOTAL', 'AGENTS', 'PHASE'],
    ...rows.map(({ namespace, name, network, used, bound, resting, total, agents, phase }) => [
      ...[namespace, name, network],
      ...[used, bound, resting, total].map(String),
      ...[agents, phase],
    ]),
  ];
}

function leases({ leases: rows, time }: Overview, wide: boolean): Rows {
  return [
    ['NAMESPACE', 'VM', 'ADDRESS', 'MAC', 'STATE', 'SEEN', ...(wide ? ['POOL'] : [])],
    ...rows.map(({ namespace, name, macAddress, address, pool, state, lastSeen }) => [
      ...[namespace, name, address, macAddress, state, ago(lastSeen, time)],
      ...(wide ? [pool] : []),
    ]),
  ];
}

/** `12m ago`, or `-`. */
export function ago(time: string | undefined, now: string): string {
  return time === undefined ? '-' : `${age(Date.parse(now) - Date.parse(time))} ago`;
}

/** The problems, and for each what to do; without problems, what waits, as {@link unready} says it. */
export function verdict(problems: readonly Problem[], waits: string, { width, paint }: Style): string[] {
  if (problems.length === 0)
    return [paint.green(waits === '' ? 'All is as it should be.' : `Nothing is wrong. ${waits}`)];
  return [
    paint.bold(problems.length === 1 ? '1 problem:' : `${problems.length} problems:`),
    ...problems.flatMap(({ what, todo = '', reason, ...object }) => [
      paint.red(`  ${objectOf(object)}: ${reason}`),
      ...wrap(what, '    ', width),
      ...wrap(todo, '    ', width).map((line) => paint.bold(line)),
    ]),
  ];
}
