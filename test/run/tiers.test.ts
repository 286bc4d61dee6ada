import { describe, expect, it } from 'vitest';
import { parsePlan } from './tiers.ts';

const here = { continuousIntegration: false };
const inCi = { continuousIntegration: true };

describe('the tiers to run', () => {
  it('are all of them unless some are named, and the bare one in CI alone', () => {
    expect(parsePlan([], here).tiers).toEqual(['static', 'unit', 'embedded', 'kubernetes', 'kubevirt', 'e2e']);
    expect(parsePlan([], inCi).tiers).toEqual(['static', 'unit', 'embedded', 'kubernetes', 'kubevirt', 'e2e', 'bare']);
    expect(parsePlan(['bare', '--full'], here).tiers).toEqual(['bare']);
  });

  it('are the quick ones with --quick', () => {
    expect(parsePlan(['--quick'], here).tiers).toEqual(['static', 'unit']);
  });

  it('keep their order however they are named', () => {
    expect(parsePlan(['e2e', 'unit'], here).tiers).toEqual(['unit', 'e2e']);
  });

  it('must exist', () => {
    expect(() => parsePlan(['integration'], here)).toThrow("There is no tier 'integration'");
  });
});

it('files and folders limit the tiers', () => {
  expect(parsePlan(['embedded', 'test/suites/power', 'test/suites/media/drive.suite.ts'], here)).toEqual({
    tiers: ['embedded'],
    files: ['test/suites/power', 'test/suites/media/drive.suite.ts'],
  });
  expect(parsePlan(['unit'], here).files).toEqual([]);
});
