import { describe, expect, it } from 'vitest';
import type { BootOverrideStatus, Interface, Network, VirtualMachine } from '../../api/index.ts';
import { isUntold, notHeld } from './evaluate-held.ts';

const POOLED = new Set(['vms/lan', 'other/wan']);

describe('a one-time network boot', () => {
  it("is enforced if the interface is on a pool's network", () => {
    expect(evaluated({ a: 'lan', b: 'other/wan' }, ['a', 'b', 'root'])).toEqual([]);
  });

  it('is not enforced on networks without a pool that come before the disk', () => {
    expect(evaluated({ a: 'san', b: 'lan', c: 'wan' }, ['c', 'b', 'a', 'root'])).toEqual(['c', 'a']);
    expect(evaluated({ a: 'lan', b: 'san' }, ['a', 'root', 'b'])).toEqual([]);
    expect(evaluated({ a: 'lan', b: 'san' }, ['b', 'root', 'a'])).toEqual(['b']);
  });

  it('is not enforced without a disk either', () => {
    expect(evaluated({ a: 'san' }, ['a'])).toEqual(['a']);
  });

  it('needs no enforcement on the pod network, unless KubeVirt provides a boot file there', () => {
    expect(evaluated({ a: undefined, b: 'lan' }, ['a', 'b', 'root'])).toEqual([]);
    expect(evaluated({ a: undefined }, ['a', 'root'], { dhcpOptions: { bootFileName: 'pxelinux.0' } })).toEqual(['a']);
  });

  it('is enforced if there is a lease, whatever the network', () => {
    expect(evaluated({ a: 'san', b: 'san' }, ['a', 'b', 'root'], {}, {}, ['a'])).toEqual(['b']);
  });

  it('does not include an interface that the VM no longer has', () => {
    expect(evaluated({ a: 'lan' }, ['a', 'gone', 'root'])).toEqual([]);
  });

  it('over HTTP follows the same rules', () => {
    expect(evaluated({ a: 'san' }, ['a', 'root'], {}, { target: 'UefiHttp' })).toEqual(['a']);
  });

  it.each<[string, Partial<BootOverrideStatus>]>([
    ['stays', { mode: 'Persistent' }],
    ['is of a disk', { target: 'Hdd' }],
    ['was made on another VM of the name', { vmUID: 'vm-0' }],
  ])('is not an override that %s', (_, change) => {
    expect(evaluated({ a: 'san' }, ['a', 'root'], {}, change)).toEqual([]);
  });
});

describe('the URI of an HTTP boot', () => {
  const http: Partial<BootOverrideStatus> = { target: 'UefiHttp', uri: 'http://10.0.0.1/boot.efi' };

  it("is delivered on a pool's network, and if there is a lease", () => {
    expect(untold({ a: undefined, b: 'lan' }, ['a', 'b', 'root'], http)).toBe(false);
    expect(untold({ a: undefined }, ['a', 'root'], http, ['a'])).toBe(false);
  });

  it('is not delivered on other networks, nor on an interface after the disk', () => {
    expect(untold({ a: undefined }, ['a', 'root'], http)).toBe(true);
    expect(untold({ a: 'san', b: 'lan' }, ['a', 'root', 'b'], http)).toBe(true);
    expect(untold({ a: 'san' }, ['a', 'gone', 'root'], { ...http, mode: 'Persistent' })).toBe(true);
  });

  it.each<[string, Partial<BootOverrideStatus>]>([
    ['the override names nothing', { target: 'UefiHttp' }],
    ['it is another override', { target: 'Pxe' }],
    ['it was made on another VM of the name', { ...http, vmUID: 'vm-0' }],
  ])('need not be delivered if %s', (_, change) => {
    expect(untold({ a: 'san' }, ['a', 'root'], change)).toBe(false);
  });
});

function untold(
  nics: Record<string, string | undefined>,
  sequence: readonly string[],
  change: Partial<BootOverrideStatus>,
  leased: readonly string[] = [],
): boolean {
  return isUntold(vm(nics, {}), overrideOf(sequence, change), {
    hasPool: (network) => POOLED.has(network),
    hasLease: (name) => leased.includes(name),
  });
}

function overrideOf(sequence: readonly string[], change: Partial<BootOverrideStatus>): BootOverrideStatus {
  const order = (name: string): string => (name === 'root' ? 'disk:root' : `interface:${name}`);
  return {
    mode: 'Oneshot',
    target: 'Pxe',
    vmUID: 'vm-1',
    vmiUID: '',
    overrideOrders: { 'interface:absent': 0, ...Object.fromEntries(sequence.map((name, at) => [order(name), at + 1])) },
    ...change,
  };
}

/** @param nics net-attach-defs by interface name; undefined: the pod network */
function evaluated(
  nics: Record<string, string | undefined>,
  sequence: readonly string[],
  more: Partial<Interface> = {},
  change: Partial<BootOverrideStatus> = {},
  leased: readonly string[] = [],
): string[] {
  return notHeld(vm(nics, more), overrideOf(sequence, change), {
    hasPool: (network) => POOLED.has(network),
    hasLease: (name) => leased.includes(name),
  });
}

function vm(nics: Record<string, string | undefined>, more: Partial<Interface>): VirtualMachine {
  const networks = Object.entries(nics).map(([name, networkName]): Network => {
    return networkName === undefined ? { name, pod: {} } : { name, multus: { networkName } };
  });
  const interfaces = Object.keys(nics).map((name): Interface => ({ name, ...more }));
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'vms', uid: 'vm-1' },
    spec: { template: { spec: { domain: { devices: { interfaces } }, networks } } },
  };
}
