import type { Skip } from './tally.ts';

const HEAD = ['NEEDS', 'TESTS', 'HOW TO GET IT'] as const;

interface Row {
  tests: number;
  tiers: string[];
  remedy: string;
}

/**
 * Lines with the number of tests skipped for each missing program, and how to install it. A test that needs two
 * programs counts in two rows.
 */
export function skipTable(skips: readonly Skip[]): string[] {
  const rows = new Map<string, Row>();
  for (const { name, lacks, isTier } of skips) {
    for (const { what, remedy } of lacks) {
      const row = rows.get(what) ?? { tests: 0, tiers: [], remedy };
      if (isTier === true) row.tiers.push(`all of ${name}`);
      else row.tests += 1;
      rows.set(what, row);
    }
  }
  const cells = [...rows]
    .toSorted(([, one], [, other]) => other.tests - one.tests)
    .map(([what, { tests, tiers, remedy }]) => [
      what,
      [...(tests > 0 ? [String(tests)] : []), ...tiers].join(', '),
      remedy,
    ]);
  const unexplained = skips.filter(({ lacks }) => lacks.length === 0).map(({ name }) => `SKIPPED ${name}`);
  return [...(cells.length === 0 ? [] : [titleOf(skips), ...aligned([HEAD, ...cells])]), ...unexplained];
}

function titleOf(skips: readonly Skip[]): string {
  const tests = skips.filter(({ isTier, lacks }) => isTier !== true && lacks.length > 0).length;
  const tiers = skips.filter(({ isTier }) => isTier === true).map(({ name }) => `the tier ${name}`);
  return `SKIPPED on this machine: ${[`${tests} tests`, ...tiers].join(' and ')}`;
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd());
}
