import { expect, it } from 'vitest';
import { podIpamOf } from './pod-ipam.ts';

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
  const text = typeof config === 'string' ? config : JSON.stringify(config);
  const metadata = { namespace: 'vms', name: 'lan' };
  expect(
    podIpamOf({
      apiVersion: 'k8s.cni.cncf.io/v1',
      kind: 'NetworkAttachmentDefinition',
      metadata,
      spec: { config: text },
    }),
  ).toBe(type);
});
