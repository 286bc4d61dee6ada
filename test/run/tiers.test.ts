import { describe, expect, it } from 'vitest';
import { parseTiers } from './tiers.ts';

describe('the tiers to run', () => {
  it('are all of them unless some are named', () => {
    expect(parseTiers([])).toEqual(['static', 'unit', 'embedded', 'kubernetes', 'e2e']);
  });

  it('are the quick ones with --quick', () => {
    expect(parseTiers(['--quick'])).toEqual(['static', 'unit']);
  });

  it('keep their order however they are named', () => {
    expect(parseTiers(['e2e', 'unit'])).toEqual(['unit', 'e2e']);
  });

  it('must exist', () => {
    expect(() => parseTiers(['integration'])).toThrow("There is no tier 'integration'");
  });
});
