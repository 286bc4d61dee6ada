import type { Problem, Overview } from './evaluate.ts';

/** Formats the status screen: one table per kind, then the problems and what to do. */
export function render(overview: Overview, now: number): string {
  const tables = [bmcs(overview, now), pools(overview), leases(overview, now)].filter((rows) => rows.length > 1);
  return [...tables.flatMap((rows) => [...table(rows), '']), ...verdict(overview), ''].join('\n');
}

function bmcs({ bmcs: rows }: Overview, now: number): string[][] {
  return [
    ['NAMESPACE', 'NAME', 'VM', 'POWER', 'IPMI', 'REDFISH', 'AGENT', 'PHASE', 'LAST ACTION'],
    ...rows.map(({ namespace, name, virtualMachine, power, ipmi, redfish, agent, phase, lastAction }) => [
      ...[namespace, name, virtualMachine, power, ipmi, redfish, agent, phase],
      lastAction === undefined ? '-' : `${lastAction.reason} ${age(lastAction.time, now)} ago`,
    ]),
  ];
}

function pools({ pools: rows }: Overview): string[][] {
  return [
    ['NAMESPACE', 'POOL', 'NETWORK', 'USED', 'BOUND', 'RESTING', 'TOTAL', 'AGENTS', 'PHASE'],
    ...rows.map(({ namespace, name, network, used, bound, resting, total, agents, phase }) => [
      ...[namespace, name, network],
      ...[used, bound, resting, total].map(String),
      ...[agents, phase],
    ]),
  ];
}

function leases({ leases: rows }: Overview, now: number): string[][] {
  return [
    ['NAMESPACE', 'VM', 'MAC', 'ADDRESS', 'POOL', 'STATE', 'LAST SEEN'],
    ...rows.map(({ namespace, name, macAddress, address, pool, state, lastSeen }) => [
      ...[namespace, name, macAddress, address, pool, state],
      lastSeen === undefined ? '-' : `${age(lastSeen, now)} ago`,
    ]),
  ];
}

interface Ailing {
  namespace: string;
  name: string;
  problems: readonly Problem[];
}

function verdict({ bmcs: ours, pools: all, networkConfigs }: Overview): string[] {
  const kinds: [string, readonly Ailing[]][] = [
    ['VirtualMachineBMC', ours],
    ['IPPool', all],
    ['VirtualMachineNetworkConfig', networkConfigs],
  ];
  const ailing = kinds.flatMap(([kind, rows]) =>
    rows.filter(({ problems }) => problems.length > 0).map((row) => ({ kind, ...row })),
  );
  if (ailing.length === 0) return ['All is as it should be.'];
  return [
    ailing.length === 1 ? '1 needs attention:' : `${ailing.length} need attention:`,
    ...ailing.flatMap(({ kind, namespace, name, problems }) => [
      `  ${kind} ${namespace}/${name}`,
      ...problems.map(({ condition, reason, message }) => `    ${condition}: ${reason}: ${message}`),
    ]),
  ];
}

/** Age of `time` (RFC 3339) in kubectl's format: `45s`, `12m`, `3h`, `8d`. */
function age(time: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (Number.isNaN(seconds)) return '?';
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** Formats rows as lines with aligned columns; the first row is the header. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
