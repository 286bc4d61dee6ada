import { describe, expect, it } from 'vitest';
import type { Row } from '../table/row.ts';
import { differences, verdict } from './verdict.ts';

const STATUS: Row = { command: 'ipmitool', covers: '00/01', prints: 'Chassis Power is on\n' };

describe('differences', () => {
  it('is empty if the outcome matches the row', () => {
    const outcome = { code: 0, stdout: 'Chassis Power is on\n', stderr: '' };
    expect(differences(STATUS, outcome)).toEqual([]);
    expect(verdict(STATUS, outcome)).toBe('ok');
  });

  it.each([
    [{ code: undefined, stdout: '', stderr: '' }, ['hangs'], 'hangs'],
    [
      { code: 1, stdout: '', stderr: 'No\nway\n' },
      ['exit 1, not 0', 'standard output', 'standard error'],
      'fails: way',
    ],
    [{ code: 0, stdout: 'Chassis Power is off\n', stderr: '' }, ['standard output'], 'differs: Chassis Power is off'],
    [{ code: 0, stdout: 'Chassis Power is on\n', stderr: 'hm\n' }, ['standard error'], 'differs: hm'],
  ])('names each difference: %j', (outcome, points, cell) => {
    expect(differences(STATUS, outcome)).toEqual(points);
    expect(verdict(STATUS, outcome)).toBe(cell);
  });

  it('requires all of several patterns, and an error if one is expected', () => {
    const row: Row = { command: 'ipmitool', covers: '00/01', exit: 1, prints: ['b', /^a/], complains: /no/ };
    expect(differences(row, { code: 1, stdout: 'a b', stderr: 'no' })).toEqual([]);
    expect(differences(row, { code: 1, stdout: 'b', stderr: 'no' })).toEqual(['standard output']);
    expect(verdict(row, { code: 0, stdout: 'a b', stderr: '' })).toBe('differs: a b');
  });
});
