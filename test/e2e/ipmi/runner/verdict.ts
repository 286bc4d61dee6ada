import type { Printed, Row } from '../table/row.ts';
import type { Outcome } from './run-line.ts';

/** The differences between an outcome and its row; empty if it matches. */
export function differences(row: Row, outcome: Outcome): string[] {
  if (outcome.code === undefined) return ['hangs'];
  const exit = row.exit ?? 0;
  return [
    ...(outcome.code === exit ? [] : [`exit ${outcome.code}, not ${exit}`]),
    ...(matches(row.prints ?? '', outcome.stdout) ? [] : ['standard output']),
    ...(matches(row.complains ?? '', outcome.stderr) ? [] : ['standard error']),
  ];
}

function matches(wanted: Printed, text: string): boolean {
  if (typeof wanted === 'string') return text === wanted;
  const parts = wanted instanceof RegExp ? [wanted] : wanted;
  return parts.every((part) => (typeof part === 'string' ? text.includes(part) : part.test(text)));
}

/** A short form of an outcome for a table cell. */
export function verdict(row: Row, outcome: Outcome): string {
  if (outcome.code === undefined) return 'hangs';
  if (differences(row, outcome).length === 0) return 'ok';
  const { code, stdout, stderr } = outcome;
  if ((row.exit ?? 0) === 0 && code !== 0) return `fails: ${lastLine(stderr) ?? lastLine(stdout) ?? `exit ${code}`}`;
  if (code !== (row.exit ?? 0)) return `differs: ${lastLine(stdout) ?? `exit ${code}`}`;
  const isComplaint = !matches(row.complains ?? '', stderr);
  const said = isComplaint ? lastLine(stderr) : firstDifference(row.prints ?? '', stdout);
  return `differs: ${said ?? 'says nothing'}`;
}

/** The first line that differs, if it can be determined. */
function firstDifference(wanted: Printed, text: string): string | undefined {
  if (typeof wanted !== 'string') return lastLine(text);
  const lines = wanted.split('\n');
  return text.split('\n').find((line, index) => line !== lines[index]) ?? lastLine(text);
}

function lastLine(text: string): string | undefined {
  const line = text
    .split('\n')
    .map((each) => each.trim())
    .filter(Boolean)
    .at(-1);
  return line === undefined || line.length <= 100 ? line : `${line.slice(0, 99)}…`;
}
