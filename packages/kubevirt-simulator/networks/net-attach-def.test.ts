import { describe, expect, it } from 'vitest';
import { cniConfigOf, type NetworkAttachmentDefinition } from './net-attach-def.ts';

function named(name: string, config: object | undefined): NetworkAttachmentDefinition {
  return {
    apiVersion: 'k8s.cni.cncf.io/v1',
    kind: 'NetworkAttachmentDefinition',
    metadata: { name, namespace: 'vms' },
    spec: config === undefined ? {} : { config: JSON.stringify(config) },
  };
}

const segment = (name: string, config: object | undefined): string => cniConfigOf(named(name, config)).segment;

describe('two net-attach-defs', () => {
  it.each([
    [{ type: 'bridge', bridge: 'br1' }, { type: 'cnv-bridge', bridge: 'br1' }, true],
    [{ type: 'bridge', bridge: 'br1', vlan: 7 }, { type: 'bridge', bridge: 'br1', vlan: 7 }, true],
    [{ type: 'bridge', bridge: 'br1', vlan: 7 }, { type: 'bridge', bridge: 'br1', vlan: 8 }, false],
    [{ type: 'bridge', bridge: 'br1', vlan: 0 }, { type: 'bridge', bridge: 'br1' }, true],
    [{ type: 'bridge', bridge: 'br1' }, { type: 'bridge', bridge: 'br2' }, false],
    [{ type: 'bridge' }, { plugins: [{ type: 'bridge' }, { type: 'tuning' }] }, true],
    [{ type: 'macvlan', master: 'eth1' }, { type: 'ipvlan', master: 'eth1' }, true],
    [{ type: 'macvlan', master: 'eth1' }, { type: 'vlan', master: 'eth1', vlanId: 5 }, false],
    [{ type: 'bridge', bridge: 'eth1' }, { type: 'macvlan', master: 'eth1' }, false],
    [{ type: 'ovn-k8s-cni-overlay' }, { type: 'ovn-k8s-cni-overlay' }, false],
    [undefined, undefined, false],
  ])('%j and %j are on one network: %s', (first, second, same) => {
    expect(segment('a', first) === segment('b', second)).toBe(same);
  });
});

it('a net-attach-def has the addresses of static IPAM', () => {
  const ipam = { type: 'static', addresses: [{ address: '10.0.0.2/24' }, { address: '10.0.1.2/24' }, 'nonsense'] };
  expect(cniConfigOf(named('a', { type: 'bridge', ipam })).addresses).toEqual(['10.0.0.2/24', '10.0.1.2/24']);
  const dhcp = { type: 'dhcp', addresses: [{ address: '10.0.0.2/24' }] };
  expect(cniConfigOf(named('a', { type: 'bridge', ipam: dhcp })).addresses).toEqual([]);
});

it('an invalid configuration is an error', () => {
  const definition = { ...named('a', undefined), spec: { config: '{' } };
  expect(() => cniConfigOf(definition)).toThrow(SyntaxError);
});
