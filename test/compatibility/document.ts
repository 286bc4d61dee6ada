import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../harness/repository.ts';

const FILE = join(repository, 'docs/compatibility.md');

/** What stands between two comments of docs/compatibility.md, and is written by a program. */
export type Part = 'ipmi clients' | 'ipmi commands';

/** The lines of a part as it stands in the document. Throws where the document has no such part. */
export function readPart(part: Part): string[] {
  const { lines, first, end } = find(part);
  return lines.slice(first, end);
}

/** Writes a part anew and leaves all else as it is. */
export function writePart(part: Part, content: readonly string[]): void {
  const { lines, first, end } = find(part);
  writeFileSync(FILE, [...lines.slice(0, first), ...content, ...lines.slice(end)].join('\n'));
}

function find(part: Part): { lines: string[]; first: number; end: number } {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  const first = lines.indexOf(`<!-- ${part}: written by \`npm run -s compatibility\` -->`) + 1;
  const end = lines.indexOf(`<!-- end of ${part} -->`);
  if (first === 0 || end < first) throw new Error(`docs/compatibility.md has no part '${part}'`);
  return { lines, first, end };
}

/** A row of a Markdown table. */
export function tableRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

/** Text as code, which may have backquotes in it. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
