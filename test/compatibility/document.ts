import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../harness/repository.ts';

const FILE = join(repository, 'docs/compatibility.md');

/** A generated part of docs/compatibility.md, between two comments. */
export type Part = 'ipmi clients' | 'ipmi commands';

/** The lines of a part. @throws Error if the document does not have it */
export function readPart(part: Part): string[] {
  const { lines, first, end } = find(part);
  return lines.slice(first, end);
}

/** Replaces a part; the rest stays. */
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

/** Text as inline code; it may contain backquotes. */
export function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``;
}
