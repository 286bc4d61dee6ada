import { describe, expect, it } from 'vitest';
import { isFresh } from './named-watches.ts';

const now = 1_000_000;

describe('what a watch told', () => {
  it('is fresh while the watch is open and the server is heard about once a minute', () => {
    expect(isFresh({ openWatch: { opened: 0, heard: now - 90_000 }, heard: now - 90_000 }, now)).toBe(true);
    expect(isFresh({ openWatch: { opened: 0, heard: now - 90_001 }, heard: now - 90_001 }, now)).toBe(false);
  });

  it('is not fresh the moment that a watch is opened after a break: what was missed has yet to come', () => {
    const heard = now - 60_000;
    expect(isFresh({ openWatch: { opened: now - 999, heard: now - 999 }, heard }, now)).toBe(false);
    expect(isFresh({ openWatch: { opened: now - 1000, heard: now - 1000 }, heard }, now)).toBe(true);
    expect(isFresh({ openWatch: { opened: now - 999, heard: now - 999 }, heard: now - 2000 }, now)).toBe(true);
  });

  it('is fresh for ten seconds more when the watch has ended', () => {
    expect(isFresh({ openWatch: undefined, heard: now - 10_000 }, now)).toBe(true);
    expect(isFresh({ openWatch: undefined, heard: now - 10_001 }, now)).toBe(false);
    expect(isFresh({ openWatch: undefined, heard: undefined }, now)).toBe(false);
  });

  it('is not fresh where the clock was set back since, until the server is heard again', () => {
    expect(isFresh({ openWatch: undefined, heard: now + 1 }, now)).toBe(false);
    expect(isFresh({ openWatch: { opened: 0, heard: now + 1 }, heard: now + 1 }, now)).toBe(false);
    expect(isFresh({ openWatch: { opened: 0, heard: now }, heard: now }, now)).toBe(true);
  });
});
