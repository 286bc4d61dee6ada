import { describe, expect, it } from 'vitest';
import { notServed } from './not-served.ts';

const ref = { virtualMachineRef: { name: 'web' } };

describe('what this version does not serve', () => {
  it('is spec.placement: Shared, with what to do', () => {
    expect(notServed({ ...ref, placement: 'Shared' })).toMatch(
      /^Not served by this version: spec\.placement: Shared \(.+\)\. Take this field out/,
    );
  });

  it('is nothing that is served, has its default or is declined', () => {
    expect(notServed(ref)).toBeUndefined();
    const ipmi = { serialOverLan: true, ipmi15: true, hideUserNames: true, lockout: { threshold: 3, seconds: 60 } };
    const redfish = { legacyProperties: true, http: { enabled: true }, virtualMedia: {} };
    expect(notServed({ ...ref, placement: 'Dedicated', ipmi, redfish })).toBeUndefined();
  });
});
