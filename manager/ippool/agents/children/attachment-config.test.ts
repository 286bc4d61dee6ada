import { describe, expect, it } from 'vitest';
import { anAttachment } from '../../testing/builders.ts';
import type { Route } from '../wanted-agents.ts';
import { attachmentConfig } from './attachment-config.ts';

const ADDRESSES = ['10.0.0.2/24', '10.1.0.2/16'];
const IPAM = { type: 'static', addresses: [{ address: '10.0.0.2/24' }, { address: '10.1.0.2/16' }] };

function configFor(config: string | undefined, ...rest: [] | [Route[]]): ReturnType<typeof attachmentConfig> {
  return attachmentConfig({ ...anAttachment(), spec: config === undefined ? {} : { config } }, ADDRESSES, ...rest);
}

function derived(config: object): unknown {
  const result = configFor(JSON.stringify(config));
  return 'config' in result ? JSON.parse(result.config) : result;
}

describe("the CNI configuration of an agent's network", () => {
  it.each(['bridge', 'cnv-bridge', 'macvlan', 'ipvlan', 'ovs', 'sriov'])(
    'accepts type %s and adds addresses',
    (type) => {
      const config = { cniVersion: '0.3.1', name: 'lan', type, vlan: 48, master: 'eth1' };
      expect(derived({ ...config, ipam: {} })).toEqual({ ...config, ipam: IPAM });
    },
  );

  it('adds routes', () => {
    const routes = [{ dst: '10.2.0.1/32', gw: '10.0.0.1' }];
    const result = configFor('{"type":"bridge"}', routes);
    expect('config' in result && JSON.parse(result.config)).toEqual({ type: 'bridge', ipam: { ...IPAM, routes } });
  });

  it('adds the addresses to the first plugin of a list and keeps the others', () => {
    const plugins = [
      { type: 'bridge', bridge: 'br0' },
      { type: 'tuning', mtu: 9000 },
    ];
    expect(derived({ cniVersion: '0.4.0', name: 'lan', plugins })).toEqual({
      cniVersion: '0.4.0',
      name: 'lan',
      plugins: [{ type: 'bridge', bridge: 'br0', ipam: IPAM }, plugins[1]],
    });
  });

  it('removes gateway options, which would break the route to the API server, and allows an address', () => {
    const config = { type: 'bridge', isGateway: true, isDefaultGateway: true, ipMasq: true };
    expect(derived({ ...config, disableContainerInterface: true })).toEqual({ type: 'bridge', ipam: IPAM });
  });

  it.each([
    [undefined, 'NetworkNotSupported', 'has no spec.config'],
    ['', 'NetworkNotSupported', 'has no spec.config'],
    ['{"type":"ovn-k8s-cni-overlay"}', 'NetworkNotSupported', 'is of CNI type ovn-k8s-cni-overlay'],
    ['{"plugins":[]}', 'NetworkInvalid', 'names no CNI plugin'],
    ['{"type":7}', 'NetworkInvalid', 'names no CNI plugin'],
    ['[]', 'NetworkInvalid', 'not a JSON object'],
    ['{', 'NetworkInvalid', 'not a JSON object'],
    ['{"type":"bridge","ipam":{"type":"dhcp"}}', 'NetworkHasIPAM', 'has IPAM of its own (dhcp), so KubeVirt answers'],
  ])('reports what is wrong with %s', (config, reason, part) => {
    const result = configFor(config);
    expect(result).toMatchObject({ problem: { reason } });
    expect('problem' in result && result.problem.message).toContain(part);
  });
});
