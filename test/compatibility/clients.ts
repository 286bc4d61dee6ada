import { TABLE, type Row } from '../e2e/ipmi/table/index.ts';
import { COLUMNS, type Column } from './contestants.ts';
import { code, tableRow } from './document.ts';

/** The result of each row of the table, by BMC. */
export type Verdicts = Partial<Record<Column, readonly string[]>>;

/** The tables of client × command × BMC, one for each topic. */
export function clientsPart(verdicts: Verdicts): string[] {
  const numbered = TABLE.flatMap((topic) => topic.rows.map((row) => ({ topic, row }))).map((each, index) => ({
    ...each,
    cells: COLUMNS.map((column) => verdicts[column]?.[index] ?? ''),
  }));
  return TABLE.flatMap((topic) => [
    '',
    `#### ${topic.title}`,
    '',
    tableRow(['command', 'covers', ...COLUMNS]),
    tableRow(['---', '---', ...COLUMNS.map(() => '---')]),
    ...numbered.filter((each) => each.topic === topic).map(({ row, cells }) => tableRow([...lead(row), ...cells])),
  ]).concat('');
}

/** The first two cells of each line, which do not depend on results. */
export function rowsOf(lines: readonly string[]): string[] {
  return lines.map((line) => (line.startsWith('| ') ? cellsOf(line).slice(0, 2).join(' | ') : line));
}

function lead({ command, covers, sender }: Row): [string, string] {
  return [sender === undefined ? code(command) : `${sender}: ${code(command)}`, covers];
}

/** The cells of a row, separated by bars that are not escaped. */
function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
