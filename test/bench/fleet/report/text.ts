import { isClean, type FleetResult } from '../results.ts';
import { figureGroups, type FigureGroup } from './figures.ts';

/** Most errors that are listed. */
const MOST_ERRORS = 20;

/** The figures of a run for a terminal. */
export function textReport(result: FleetResult): string {
  return [
    ...figureGroups(result).flatMap((group) => ['', ...tableOf(group)]),
    '',
    ...errorLines(result),
    verdictOf(result),
  ].join('\n');
}

export function verdictOf(result: FleetResult): string {
  const { vms, cycled } = result.options;
  const how = cycled === 0 ? '' : `, ${cycled} of them by a power cycle`;
  return isClean(result)
    ? `PASSED: ${vms} VMs, 0 errors, each started exactly once${how}, each with its lease`
    : `FAILED: ${result.errors.length} errors; ${result.startedOnce} of ${vms} VMs started exactly once (${result.starts} starts), ${result.leased} with their lease`;
}

/** One line for each error, up to {@link MOST_ERRORS}. */
export function errorLines({ errors }: FleetResult): string[] {
  const lines = errors.slice(0, MOST_ERRORS).map(({ vm, reason }) => `error: ${vm}: ${reason}`);
  const more = errors.length - lines.length;
  return more > 0 ? [...lines, `… and ${more} more errors`] : lines;
}

function tableOf({ title, columns, rows }: FigureGroup): string[] {
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `  ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd();
  return [title, line(columns), ...rows.map(line)];
}
