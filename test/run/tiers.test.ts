import { describe, expect, it } from 'vitest';
import { filesOf, parsePlan } from './tiers.ts';

const here = { continuousIntegration: false };
const inCi = { continuousIntegration: true };

describe('parsePlan', () => {
  it('selects all tiers by default, and the bare tier only in CI', () => {
    expect(parsePlan([], here).tiers).toEqual(['static', 'unit', 'embedded', 'kubernetes', 'kubevirt', 'e2e']);
    expect(parsePlan([], inCi).tiers).toEqual(['static', 'unit', 'embedded', 'kubernetes', 'kubevirt', 'e2e', 'bare']);
    expect(parsePlan(['bare', '--full'], here).tiers).toEqual(['bare']);
  });

  it('selects the quick tiers with --quick', () => {
    expect(parsePlan(['--quick'], here).tiers).toEqual(['static', 'unit']);
  });

  it('keeps the order of tiers', () => {
    expect(parsePlan(['e2e', 'unit'], here).tiers).toEqual(['unit', 'e2e']);
  });

  it('rejects an unknown tier', () => {
    expect(() => parsePlan(['integration'], here)).toThrow("There is no tier 'integration'");
  });
});

it('limits the tiers to files and folders', () => {
  expect(parsePlan(['embedded', 'test/suites/power', 'test/suites/media/drive.suite.ts'], here)).toMatchObject({
    tiers: ['embedded'],
    files: ['test/suites/power', 'test/suites/media/drive.suite.ts'],
  });
});

describe('filesOf', () => {
  const bare = { hasRealServers: false, packagesChanged: false };
  const real = { hasRealServers: true, packagesChanged: false };
  const all = parsePlan([], here);

  it('runs each suite on one server, the real one if available', () => {
    expect(filesOf('embedded', all, bare)).toEqual(['test/']);
    expect(filesOf('embedded', all, real)).toBeUndefined();
    expect(filesOf('kubernetes', all, real)).toEqual(['test/']);
  });

  it('includes the suites of the packages after a change there', () => {
    expect(filesOf('embedded', all, { ...bare, packagesChanged: true })).toEqual([]);
    expect(filesOf('embedded', all, { ...real, packagesChanged: true })).toEqual(['packages/']);
    expect(filesOf('kubevirt', all, { ...real, packagesChanged: true })).toEqual([]);
  });

  it('returns all files if the tier is named, or with --full', () => {
    expect(filesOf('embedded', parsePlan(['embedded'], here), real)).toEqual([]);
    expect(filesOf('embedded', parsePlan(['--full'], here), real)).toEqual([]);
    expect(filesOf('embedded', parsePlan(['embedded', 'test/suites/power'], here), real)).toEqual([
      'test/suites/power',
    ]);
  });

  it('returns all unit and end-to-end tests', () => {
    expect(filesOf('unit', all, real)).toEqual([]);
    expect(filesOf('e2e', all, bare)).toEqual([]);
  });
});
