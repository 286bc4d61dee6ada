import { expect, it } from 'vitest';
import type { NetworkAttachmentDefinition } from '../../api/index.ts';
import { podIpamOf, vlanOf, wireOf } from './wire.ts';

const network = (config: object | string, annotations: Record<string, string> = {}): NetworkAttachmentDefinition => ({
  apiVersion: 'k8s.cni.cncf.io/v1',
  kind: 'NetworkAttachmentDefinition',
  metadata: { name: 'lan', annotations },
  spec: { config: typeof config === 'string' ? config : JSON.stringify(config) },
});

const wire = (config: object | string, annotations?: Record<string, string>) => wireOf(network(config, annotations));

it.each([
  [{ type: 'bridge', bridge: 'br0', vlan: 7, ipam: {} }, 'br0, VLAN 7'],
  [
    { cniVersion: '1.0.0', plugins: [{ type: 'cnv-bridge', bridge: 'br0', vlan: 7 }, { type: 'tuning' }] },
    'br0, VLAN 7',
  ],
  [{ type: 'bridge', bridge: 'br0' }, 'br0, VLAN 0'],
  [{ type: 'macvlan', master: 'eth0.7', mode: 'bridge' }, 'eth0.7, VLAN 0'],
])('reads what %j connects to', (config, expected) => {
  expect(wire(config)).toBe(expected);
});

it('tells networks of SR-IOV by their resource', () => {
  const annotations = { 'k8s.v1.cni.cncf.io/resourceName': 'example.com/vf' };
  expect(wire({ type: 'sriov', vlan: 7 }, annotations)).toBe('example.com/vf, VLAN 7');
  expect(wire({ type: 'sriov', vlan: 7 })).toBeUndefined();
});

it.each([
  '',
  'no JSON',
  'null',
  { type: 'bridge' },
  { type: 'kube-ovn' },
  { plugins: [] },
  { type: 'bridge', bridge: 'br0', vlanTrunk: [{ id: 7 }] },
])('does not know what %j connects to', (config) => {
  expect(wire(config)).toBeUndefined();
});

it.each([
  [{ type: 'bridge', bridge: 'br0', vlan: 7 }, 7],
  [{ type: 'sriov', vlanId: 8 }, 8],
  [{ type: 'bridge', bridge: 'br0', vlan: 0 }, undefined],
  [{ type: 'bridge', bridge: 'br0', vlanTrunk: [{ id: 7 }] }, undefined],
])('reads the VLAN of %j', (config, expected) => {
  expect(vlanOf(network(config))).toBe(expected);
});

const bridge = { type: 'bridge', bridge: 'br0' };

it.each([
  [{ ...bridge, ipam: { type: 'host-local', subnet: '10.0.0.0/24' } }, 'host-local'],
  [{ plugins: [{ ...bridge, ipam: { type: 'dhcp' } }, { type: 'tuning' }] }, 'dhcp'],
  [{ ...bridge, ipam: { type: 'static', addresses: [{ address: '10.0.0.9/24' }] } }, 'static'],
  [{ ...bridge, ipam: { type: 'static' } }, undefined],
  [{ ...bridge, ipam: {} }, undefined],
  [bridge, undefined],
  [{ type: 'sriov', ipam: { type: 'host-local' } }, undefined],
  ['not JSON', undefined],
])('a network of %j gives addresses to pods by %s', (config, type) => {
  expect(podIpamOf(network(config))).toBe(type);
});
