import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalMac } from '../../api/index.ts';
import { macFor } from './mac-assignment.ts';

const owner = { clusterUid: 'c-1', namespace: 'default', vmName: 'web', interfaceName: 'net1' };

describe('the MAC address for an interface that has none', () => {
  it('is always the same', () => {
    expect(macFor(owner)).toBe('02:c0:40:51:40:ce');
    expect(macFor({ ...owner })).toBe(macFor(owner));
  });

  it.each([{ clusterUid: 'c-2' }, { namespace: 'other' }, { vmName: 'db' }, { interfaceName: 'net2' }])(
    'differs for %j',
    (change) => {
      expect(macFor({ ...owner, ...change })).not.toBe(macFor(owner));
    },
  );

  it('is locally administered, unicast and in canonical form', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (vmName, interfaceName) => {
        const mac = macFor({ ...owner, vmName, interfaceName });
        expect(canonicalMac(mac)).toBe(mac);
        expect(Number.parseInt(mac.slice(0, 2), 16) & 3).toBe(2);
      }),
    );
  });
});
