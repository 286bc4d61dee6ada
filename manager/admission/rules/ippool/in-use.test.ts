import { describe, expect, it } from 'vitest';
import { aLease, aPool } from '../../testing/builders.ts';
import { inUse } from './in-use.ts';

describe('the deletion of an IPPool', () => {
  it('is rejected with the names of the VMs that use it', () => {
    expect(inUse(aPool(), [], false)).toEqual({});
    const leases = Array.from({ length: 12 }, (_, i) => aLease(`10.9.0.${20 + i}`));
    const [error] = inUse(aPool(), leases, false).errors ?? [];
    expect(error?.detail).toMatch(/VirtualMachineNetworkConfig default\/web \(10\.9\.0\.20\).+ and others; delete/);
  });
});
