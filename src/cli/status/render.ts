import type { BmcStatus } from './judge.ts';

/** The status screen: a table, and under it what ails each BMC and what to do. */
export function render(rows: readonly BmcStatus[], now: number): string {
  const cells = [
    ['NAMESPACE', 'NAME', 'VM', 'POWER', 'IPMI', 'AGENT', 'PHASE', 'LAST ACTION'],
    ...rows.map((row) => [
      row.namespace,
      row.name,
      row.virtualMachine,
      row.power,
      row.ipmi,
      row.agent,
      row.phase,
      row.lastAction === undefined ? '-' : `${row.lastAction.reason} ${age(row.lastAction.time, now)} ago`,
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, ...ailments(rows), ''].join('\n');
}

function ailments(rows: readonly BmcStatus[]): string[] {
  const ailing = rows.filter((row) => row.ailments.length > 0);
  if (ailing.length === 0)
    return ['', rows.length === 1 ? 'It is as it should be.' : `All ${rows.length} are as they should be.`];
  return [
    '',
    `${ailing.length} of ${rows.length} need attention:`,
    ...ailing.flatMap((row) => [
      `  ${row.namespace}/${row.name}`,
      ...row.ailments.map(({ condition, reason, message }) => `    ${condition}: ${reason}: ${message}`),
    ]),
  ];
}

/** Time since `time` (RFC 3339) as kubectl writes it: `45s`, `12m`, `3h`, `8d`. */
function age(time: string, now: number): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(time)) / 1000));
  if (Number.isNaN(seconds)) return '?';
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
