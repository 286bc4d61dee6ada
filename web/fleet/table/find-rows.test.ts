import { describe, expect, it } from 'vitest';
import type { Column } from './columns.ts';
import { nextSorting, Searcher, sortRows } from './find-rows.ts';

interface Row {
  name: string;
  size?: number;
}

const NAME: Column<Row> = { id: 'name', title: 'Name', text: ({ name }) => name };
const SIZE: Column<Row> = {
  id: 'size',
  title: 'Size',
  text: ({ size }) => `${size ?? '-'} GiB`,
  order: ({ size }) => size,
  isLargestFirst: true,
};
const ROWS: readonly Row[] = [{ name: 'Node-10', size: 2 }, { name: 'node-9', size: 10 }, { name: 'node-1' }];

const names = (rows: readonly Row[]): string[] => rows.map(({ name }) => name);

describe('search', () => {
  const searcher = new Searcher([NAME, SIZE]);

  it.each([
    ['', ['Node-10', 'node-9', 'node-1']],
    ['NODE-1', ['Node-10', 'node-1']],
    ['gib node-1 2', ['Node-10']],
    ['  ', ['Node-10', 'node-9', 'node-1']],
    ['nothing', []],
  ])('finds %j in all columns', (text, found) => {
    expect(names(searcher.find(ROWS, text))).toEqual(found);
  });
});

describe('sorting', () => {
  it('compares numbers in texts as numbers', () => {
    expect(names(sortRows(ROWS, NAME, false))).toEqual(['node-1', 'node-9', 'Node-10']);
  });

  it.each([
    [false, ['Node-10', 'node-9', 'node-1']],
    [true, ['node-9', 'Node-10', 'node-1']],
  ])('puts rows without a value last, down: %s', (isDown, sorted) => {
    expect(names(sortRows(ROWS, SIZE, isDown))).toEqual(sorted);
  });

  it('begins with the direction of the column, then turns it', () => {
    const first = nextSorting(SIZE, { id: 'name', isDown: false });
    expect(first).toEqual({ id: 'size', isDown: true });
    expect(nextSorting(SIZE, first)).toEqual({ id: 'size', isDown: false });
  });
});
