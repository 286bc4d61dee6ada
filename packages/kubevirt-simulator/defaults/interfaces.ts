import { createHash } from 'node:crypto';
import type { InstanceSpec, InterfaceStatus, Network } from '../kubevirt/objects.ts';
import type { RandomBytes } from './firmware.ts';

/**
 * What an instance's interfaces have on the node: the MAC that the template names, else one made up for this
 * instance alone (the next one gets another, as in KubeVirt), and an address on the pod network.
 */
export function interfacesOf(spec: InstanceSpec, random: RandomBytes): InterfaceStatus[] {
  return (spec.domain.devices?.interfaces ?? []).map(({ name, macAddress }) => {
    const network = spec.networks?.find((candidate) => candidate.name === name);
    const status = { infoSource: 'domain', linkState: 'up', mac: macAddress ?? madeUpMac(random), name };
    if (network?.pod === undefined) {
      return { ...status, infoSource: 'domain, multus-status', podInterfaceName: podInterfaceName(name) };
    }
    const ip = madeUpAddress(random);
    return { ...status, ipAddress: ip, ipAddresses: [ip], podInterfaceName: 'eth0' };
  });
}

/** The net-attach-def that a network of an instance is, with or without namespace; undefined for the pod network. */
export function networkNameOf(network: Network | undefined): string | undefined {
  return network?.multus?.networkName;
}

/** What a network's interface is called in the pod (`network/namescheme`, `HashedPodInterfaceName`). */
export function podInterfaceName(network: string): string {
  return `pod${createHash('sha256').update(network).digest('hex').slice(0, 11)}`;
}

/** QEMU's own prefix, 52:54:00. */
function madeUpMac(random: RandomBytes): string {
  return [0x52, 0x54, 0x00, ...random(3)].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
}

/** In 10.88.0.0/16, the podman and CRI-O default; nothing on the machine answers there. */
function madeUpAddress(random: RandomBytes): string {
  const [third = 0, fourth = 0] = random(2);
  return `10.88.${third}.${1 + (fourth % 254)}`;
}
