import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMCSpec } from '../../../api/index.ts';
import { notServed } from './not-served.ts';

const ref = { virtualMachineRef: { name: 'web' } };

describe('what this version does not serve', () => {
  it.each<[string, Partial<VirtualMachineBMCSpec>]>([
    ['spec.placement: Shared', { placement: 'Shared' }],
    ['spec.redfish.http.enabled: true', { redfish: { http: { enabled: true } } }],
    ['spec.redfish.virtualMedia', { redfish: { virtualMedia: {} } }],
  ])('is %s, with what to do', (field, spec) => {
    expect(notServed({ ...ref, ...spec })).toMatch(
      new RegExp(`^Not served by this version: ${field} \\(.+\\)\\. Take this field out`),
    );
  });

  it('is named all at once', () => {
    const message = notServed({ ...ref, placement: 'Shared', redfish: { virtualMedia: {} } });
    expect(message).toMatch(/spec\.placement: Shared .+; spec\.redfish\.virtualMedia .+ Take these fields out/);
  });

  it('is nothing that is served, has its default or is declined', () => {
    expect(notServed(ref)).toBeUndefined();
    const ipmi = { serialOverLan: true, ipmi15: true, hideUserNames: true, lockout: { threshold: 3, seconds: 60 } };
    const redfish = { legacyProperties: true, http: { enabled: false } };
    expect(notServed({ ...ref, placement: 'Dedicated', ipmi, redfish })).toBeUndefined();
  });
});
