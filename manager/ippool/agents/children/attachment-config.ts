import type { NetworkAttachmentDefinition } from '../../../../api/index.ts';
import { podIpamOf } from '../../../networks/index.ts';
import type { Route } from '../wanted-agents.ts';

/** Why agents cannot serve a network: no configuration can be derived from it, or KubeVirt answers its VMs. */
export interface AttachmentProblem {
  reason: 'NetworkInvalid' | 'NetworkNotSupported' | 'NetworkHasIPAM';
  /** What to do. */
  message: string;
}

/** CNI plugins that attach a pod to a layer 2 network and accept `ipam`. */
const SUPPORTED = ['bridge', 'cnv-bridge', 'macvlan', 'ipvlan', 'ovs', 'sriov'];

/** Options that would make the agent a gateway, and one that forbids an address on the interface. */
const LEFT_OUT = ['isGateway', 'isDefaultGateway', 'ipMasq', 'disableContainerInterface'];

type Json = Record<string, unknown>;

/**
 * The CNI configuration of an agent: the network's configuration with static addresses for the agent. VM networks
 * assign no addresses to pods, and without this the agent would need capabilities to set its own.
 *
 * @param attachment the network, whose `spec.config` is a plugin configuration or a list of them
 * @param addresses `10.0.0.2/24`
 * @param routes through routers of the network
 */
export function attachmentConfig(
  attachment: NetworkAttachmentDefinition,
  addresses: readonly string[],
  routes: readonly Route[] = [],
): { config: string } | { problem: AttachmentProblem } {
  const config = attachment.spec?.config;
  if (config === undefined || config.trim() === '')
    return unsupported('has no spec.config: its configuration is in files of the nodes. Write it into spec.config.');
  const parsed = parse(config);
  if (parsed === undefined) {
    const message = 'has a spec.config that is not a JSON object. Correct it.';
    return { problem: { reason: 'NetworkInvalid', message } };
  }
  const ipam = {
    type: 'static',
    addresses: addresses.map((address) => ({ address })),
    ...(routes.length > 0 && { routes }),
  };
  const { plugins } = parsed;
  const [main, ...chained] = Array.isArray(plugins) ? (plugins as unknown[]) : [parsed];
  if (!isObject(main) || typeof main.type !== 'string')
    return { problem: { reason: 'NetworkInvalid', message: 'names no CNI plugin in its spec.config. Correct it.' } };
  if (!SUPPORTED.includes(main.type))
    return unsupported(`is of CNI type ${main.type}, with which an agent gets no address of its choice.`);
  const podIpam = podIpamOf(attachment);
  if (podIpam !== undefined) return { problem: { reason: 'NetworkHasIPAM', message: answered(podIpam) } };
  const derived = { ...without(main, LEFT_OUT), ipam };
  return { config: JSON.stringify(Array.isArray(plugins) ? { ...parsed, plugins: [derived, ...chained] } : derived) };
}

function answered(podIpam: string): string {
  return (
    `has IPAM of its own (${podIpam}), so KubeVirt answers the DHCP requests of its VMs and they get no address of the pool. ` +
    'Remove ipam from its spec.config, then restart the VMs.'
  );
}

function unsupported(what: string): { problem: AttachmentProblem } {
  const message = `${what} Use a net-attach-def of the same network of type ${SUPPORTED.join(', ')}.`;
  return { problem: { reason: 'NetworkNotSupported', message } };
}

function parse(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function without(object: Json, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
