import { describe, expect, it } from 'vitest';
import { notServed, notServedMessage } from './not-served.ts';

const ref = { virtualMachineRef: { name: 'web' } };

describe('the unsupported settings', () => {
  it('include spec.placement: Shared, with what to use instead', () => {
    const setting = notServed({ ...ref, placement: 'Shared' });
    expect(setting && notServedMessage(setting)).toBe(
      'spec.placement: Shared is not served by this version. Use Dedicated, the default: each BMC has a pod of its own.',
    );
  });

  it('exclude supported, default and declined settings', () => {
    expect(notServed(ref)).toBeUndefined();
    const ipmi = { serialOverLan: true, ipmi15: true, hideUserNames: true, lockout: { threshold: 3, seconds: 60 } };
    const redfish = { legacyProperties: true, http: { enabled: true }, virtualMedia: {} };
    expect(notServed({ ...ref, placement: 'Dedicated', ipmi, redfish })).toBeUndefined();
  });
});
