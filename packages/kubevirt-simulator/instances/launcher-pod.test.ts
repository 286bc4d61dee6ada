import { describe, expect, it } from 'vitest';
import { launcherPodOf } from './launcher-pod.ts';
import type { Interface, Network } from '../kubevirt/objects.ts';
import { NETWORKS_ANNOTATION } from '../networks/net-attach-def.ts';
import { aVmi } from '../testing/builders.ts';

describe('the networks annotation of a launcher pod', () => {
  function asked(networks: Network[], interfaces: Interface[]): unknown {
    const vmi = aVmi();
    const domain = { ...vmi.spec.domain, devices: { interfaces } };
    const { metadata } = launcherPodOf({ ...vmi, spec: { ...vmi.spec, networks, domain } }, 'node01');
    const annotation = metadata.annotations?.[NETWORKS_ANNOTATION];
    return annotation === undefined ? undefined : JSON.parse(annotation);
  }

  it('is absent for the pod network', () => {
    expect(asked([{ name: 'default', pod: {} }], [{ name: 'default' }])).toBeUndefined();
  });

  it('has the networks with the MAC address of the template and a hashed interface name', () => {
    const networks = [
      { name: 'pxe', multus: { networkName: 'pxe' } },
      { name: 'wan', multus: { networkName: 'default/uplink' } },
    ];
    expect(asked(networks, [{ name: 'pxe', macAddress: '02:00:00:00:00:0a' }, { name: 'wan' }])).toEqual([
      { name: 'pxe', namespace: 'vms', mac: '02:00:00:00:00:0a', interface: 'pode387866de76' },
      { name: 'uplink', namespace: 'default', interface: expect.stringMatching(/^pod[0-9a-f]{11}$/) as string },
    ]);
  });
});
