import type { NetworkAttachmentDefinition } from '../../api/index.ts';

type Json = Record<string, unknown>;

/**
 * What a net-attach-def connects to on its nodes, as text: `br0, VLAN 7`. Two with the same text are the same network on
 * each node that has both. Undefined if the configuration does not tell.
 */
export function wireOf({ metadata, spec }: NetworkAttachmentDefinition): string | undefined {
  const main = mainPlugin(spec?.config ?? '');
  const { vlan = 0, vlanId = vlan } = main;
  const inVlan = (device: unknown) => (typeof device === 'string' ? `${device}, VLAN ${String(vlanId)}` : undefined);
  // A trunk is several networks.
  if (main['vlanTrunk'] !== undefined || main['trunk'] !== undefined) return undefined;
  switch (main['type']) {
    case 'bridge':
    case 'cnv-bridge':
    case 'ovs':
      return inVlan(main['bridge']);
    case 'macvlan':
    case 'ipvlan':
      return inVlan(main['master']);
    case 'sriov':
      return inVlan(metadata.annotations?.['k8s.v1.cni.cncf.io/resourceName']);
    default:
      return undefined;
  }
}

/** The VLAN that a net-attach-def puts its interfaces into; undefined: none, several, or not told. */
export function vlanOf({ spec }: NetworkAttachmentDefinition): number | undefined {
  const { vlan, vlanId = vlan } = mainPlugin(spec?.config ?? '');
  return typeof vlanId === 'number' && vlanId > 0 && vlanId < 4095 ? vlanId : undefined;
}

/**
 * The IPAM plugin by which a net-attach-def gives addresses to pods: `host-local`. KubeVirt then answers the DHCP requests of VMs
 * itself. Undefined if pods get no address, or if the VM has the device and not the pod (sriov).
 */
export function podIpamOf({ spec }: NetworkAttachmentDefinition): string | undefined {
  const main = mainPlugin(spec?.config ?? '');
  const { type, addresses } = objectIn(main['ipam']);
  if (typeof type !== 'string' || type === '' || main['type'] === 'sriov') return undefined;
  const isEmpty = type === 'static' && !(Array.isArray(addresses) && addresses.length > 0);
  return isEmpty ? undefined : type;
}

/** The first plugin of a configuration or of a list; empty if there is none. */
function mainPlugin(text: string): Json {
  try {
    const config = objectIn(JSON.parse(text));
    return Array.isArray(config['plugins']) ? objectIn((config['plugins'] as unknown[])[0]) : config;
  } catch {
    return {};
  }
}

function objectIn(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}
