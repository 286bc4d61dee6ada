/**
 * The row to which a key leads.
 *
 * @param page rows that fit the window
 * @returns undefined: the key does not lead to a row
 */
export function rowOfKey(key: string, row: number, count: number, page: number): number | undefined {
  const step = STEPS[key]?.(row, count, page);
  if (step === undefined || count === 0) return undefined;
  return Math.min(Math.max(step, 0), count - 1);
}

const STEPS: Readonly<Record<string, (row: number, count: number, page: number) => number>> = {
  ArrowDown: (row) => row + 1,
  ArrowUp: (row) => row - 1,
  PageDown: (row, _count, page) => row + page,
  PageUp: (row, _count, page) => row - page,
  Home: () => 0,
  End: (_row, count) => count - 1,
};
