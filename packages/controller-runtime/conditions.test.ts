import { describe, expect, it } from 'vitest';
import { findCondition, setCondition } from './conditions.ts';
import type { Condition } from './objects.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const READY = { type: 'Ready', status: 'False', reason: 'Starting', message: 'wait', observedGeneration: 1 } as const;

describe('setCondition', () => {
  it('adds a condition with the time', () => {
    expect(setCondition(undefined, READY, NOON)).toEqual([{ ...READY, lastTransitionTime: '2026-01-01T12:00:00Z' }]);
  });

  it('keeps the time while the status is unchanged, and updates the other fields', () => {
    const before = setCondition(undefined, READY, NOON);
    const after = setCondition(before, { ...READY, reason: 'Slow', observedGeneration: 2 }, NOON + 60_000);
    expect(after).toEqual([
      { ...READY, reason: 'Slow', observedGeneration: 2, lastTransitionTime: '2026-01-01T12:00:00Z' },
    ]);
  });

  it('gives a time to a condition that another controller wrote without one', () => {
    const { type, status, reason, message } = READY;
    const before = [{ type, status, reason, message }] as unknown as Condition[]; // the schema of another CRD
    expect(setCondition(before, READY, NOON)).toEqual([{ ...READY, lastTransitionTime: '2026-01-01T12:00:00Z' }]);
  });

  it('updates the time when the status changes, and leaves other conditions unchanged', () => {
    const before = setCondition(setCondition(undefined, READY, NOON), { ...READY, type: 'Other' }, NOON);
    const after = setCondition(before, { ...READY, status: 'True' }, NOON + 60_000);
    expect(after.map(({ type, lastTransitionTime }) => [type, lastTransitionTime])).toEqual([
      ['Ready', '2026-01-01T12:01:00Z'],
      ['Other', '2026-01-01T12:00:00Z'],
    ]);
    expect(findCondition(before, 'Ready')?.status).toBe('False');
  });
});
