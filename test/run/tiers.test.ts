import { describe, expect, it } from 'vitest';
import { filesOf, parsePlan } from './tiers.ts';

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
  expect(parsePlan(['embedded', 'test/suites/power', 'test/suites/media/drive.suite.ts'], here)).toMatchObject({
    tiers: ['embedded'],
    files: ['test/suites/power', 'test/suites/media/drive.suite.ts'],
  });
});

describe('the files of a tier', () => {
  const bare = { hasRealServers: false, packagesChanged: false };
  const real = { hasRealServers: true, packagesChanged: false };
  const all = parsePlan([], here);

  it('are each on one server, the real one where there is one', () => {
    expect(filesOf('embedded', all, bare)).toEqual(['test/']);
    expect(filesOf('embedded', all, real)).toBeUndefined();
    expect(filesOf('kubernetes', all, real)).toEqual(['test/']);
  });

  it('are those of the packages too after a change there', () => {
    expect(filesOf('embedded', all, { ...bare, packagesChanged: true })).toEqual([]);
    expect(filesOf('embedded', all, { ...real, packagesChanged: true })).toEqual(['packages/']);
    expect(filesOf('kubevirt', all, { ...real, packagesChanged: true })).toEqual([]);
  });

  it('are all of them where the tier is named, or with --full', () => {
    expect(filesOf('embedded', parsePlan(['embedded'], here), real)).toEqual([]);
    expect(filesOf('embedded', parsePlan(['--full'], here), real)).toEqual([]);
    expect(filesOf('embedded', parsePlan(['embedded', 'test/suites/power'], here), real)).toEqual([
      'test/suites/power',
    ]);
  });

  it('are all unit and end-to-end tests', () => {
    expect(filesOf('unit', all, real)).toEqual([]);
    expect(filesOf('e2e', all, bare)).toEqual([]);
  });
});
