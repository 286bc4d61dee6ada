import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { collect, duration, trueOrFalse, wholeNumber } from './parse.ts';

describe('wholeNumber', () => {
  it('reads a number within the bounds', () => {
    expect(wholeNumber(0, 100)('0')).toBe(0);
    expect(wholeNumber(0, 100)('100')).toBe(100);
  });

  it.each(['', '-1', '101', '1.5', '1e1', 'two', ' 5'])('refuses %j', (text) => {
    expect(() => wholeNumber(0, 100)(text)).toThrow(InvalidArgumentError);
  });
});

describe('duration', () => {
  it.each([
    ['500ms', 500],
    ['3s', 3000],
    ['1.5s', 1500],
    ['2m', 120_000],
    ['0s', 0],
  ])('reads %s as %d ms', (text, milliseconds) => {
    expect(duration(text)).toBe(milliseconds);
  });

  it.each(['', '5', '5h', '-1s', 's'])('refuses %j', (text) => {
    expect(() => duration(text)).toThrow(InvalidArgumentError);
  });
});

describe('collect', () => {
  it('keeps the order of the values', () => {
    expect(collect('b', collect('a', undefined))).toEqual(['a', 'b']);
  });
});

describe('trueOrFalse', () => {
  it('reads the two words and no others', () => {
    expect([trueOrFalse('true'), trueOrFalse('false')]).toEqual([true, false]);
    for (const text of ['', 'yes', 'TRUE', '1']) expect(() => trueOrFalse(text)).toThrow(InvalidArgumentError);
  });
});
