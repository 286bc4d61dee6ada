import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SequenceWindow } from './sequence-window.ts';

/** A window with this highest number and no lower number accepted. */
function windowAt(highest: number): SequenceWindow {
  const window = new SequenceWindow(highest - 25);
  window.commit(highest - 10);
  window.commit(highest);
  return window;
}

describe('SequenceWindow', () => {
  it.each([
    [1, true],
    [15, true],
    [16, false],
    [0, false],
    [0xffff_ffff, false],
  ])('accepts %i as the first number: %s', (sequence, accepted) => {
    expect(new SequenceWindow().accepts(sequence)).toBe(accepted);
  });

  it.each([
    [100, false],
    [115, true],
    [116, false],
    [84, true],
    [83, false],
  ])('at 100, accepts %i: %s', (sequence, accepted) => {
    expect(windowAt(100).accepts(sequence)).toBe(accepted);
  });

  it('accepts a late packet once', () => {
    const window = windowAt(100);
    window.commit(97);
    expect([window.accepts(97), window.accepts(98)]).toEqual([false, true]);
  });

  it('does not move until a number is committed', () => {
    const window = windowAt(100);
    window.accepts(110);
    expect(window.accepts(120)).toBe(false);
  });

  it('continues across the wrap, without 0', () => {
    const window = windowAt(0xffff_ffff);
    expect([window.accepts(0), window.accepts(1), window.accepts(0xffff_ffff)]).toEqual([false, true, false]);
    window.commit(1);
    expect([window.accepts(0xffff_fffd), window.accepts(0xffff_fffe)]).toEqual([true, true]);
  });

  it('accepts no number twice, in any order', () => {
    const steps = fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (offsets) => {
        const window = new SequenceWindow();
        const taken = new Set<number>();
        let last = 1;
        for (const offset of offsets) {
          const sequence = Math.max(1, last + offset);
          if (!window.accepts(sequence)) continue;
          expect(taken.has(sequence)).toBe(false);
          taken.add(sequence);
          window.commit(sequence);
          last = sequence;
        }
      }),
    );
  });
});
