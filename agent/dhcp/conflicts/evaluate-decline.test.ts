import { expect, it } from 'vitest';
import { evaluateDecline } from './address-conflicts.ts';

it('believes no single DECLINE', () => {
  expect(evaluateDecline(undefined, 5000)).toEqual({ since: 5000, isConfirmed: false });
});

it('believes a second one after ten seconds, not one that follows at once', () => {
  expect(evaluateDecline(5000, 14_999)).toEqual({ since: 5000, isConfirmed: false });
  expect(evaluateDecline(5000, 15_000)).toEqual({ since: 5000, isConfirmed: true });
});

it('begins anew after ten minutes', () => {
  expect(evaluateDecline(5000, 605_000).isConfirmed).toBe(true);
  expect(evaluateDecline(5000, 605_001)).toEqual({ since: 605_001, isConfirmed: false });
});
