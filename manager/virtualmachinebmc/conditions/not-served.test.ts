import { describe, expect, it } from 'vitest';
import { notServed } from './not-served.ts';

const ref = { virtualMachineRef: { name: 'web' } };

describe('the unsupported settings', () => {
  it('include spec.placement: Shared, with what to do', () => {
    expect(notServed({ ...ref, placement: 'Shared' })).toMatch(
      /^Not served by this version: spec\.placement: Shared \(.+\)\. Take this field out/,
    );
  });

  it('exclude supported, default and declined settings', () => {
    expect(notServed(ref)).toBeUndefined();
    const ipmi = { serialOverLan: true, ipmi15: true, hideUserNames: true, lockout: { threshold: 3, seconds: 60 } };
    const redfish = { legacyProperties: true, http: { enabled: true }, virtualMedia: {} };
    expect(notServed({ ...ref, placement: 'Dedicated', ipmi, redfish })).toBeUndefined();
  });
});
