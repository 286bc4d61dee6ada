import { TABLE, type Row } from '../e2e/ipmi/table/index.ts';
import { COLUMNS, type Column } from './contestants.ts';
import { code, tableRow } from './document.ts';

/** Verdicts of the rows of the table, one after the other, by who gave them. */
export type Verdicts = Partial<Record<Column, readonly string[]>>;

/** Lines of the tables of client × command × BMC, a table for each topic. */
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

/** The part of those lines that the table decides alone: what the document must have, whoever has been asked. */
export function rowsOf(lines: readonly string[]): string[] {
  return lines.map((line) => (line.startsWith('| ') ? cellsOf(line).slice(0, 2).join(' | ') : line));
}

function lead({ command, covers, sender }: Row): [string, string] {
  return [sender === undefined ? code(command) : `${sender}: ${code(command)}`, covers];
}

/** Cells of a row, at bars that are not escaped. */
function cellsOf(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}
