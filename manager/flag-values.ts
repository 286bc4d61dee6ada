import { parseIpv4Cidr, type Ipv4Range } from '../api/index.ts';
import { isIP } from 'node:net';
import type { Address } from '@groundcrew/controller-runtime';

/** An address from the command line or the environment that is not valid. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
  readonly code = 'InvalidAddress';
}

/**
 * Parses `host:port`, `[host]:port`, or `:port` for all interfaces; '' and '0' disable the listener.
 *
 * @throws AddressError
 */
export function parseAddress(text: string): Address | undefined {
  if (text === '' || text === '0') return undefined;
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new AddressError(`${text} is not an address: write host:port, [host]:port, or :port for all interfaces`);
  // With the host '' Node listens on all interfaces of both address families, or of the only one available.
  return { host: match[1] ?? match[2] ?? '', port };
}

/** A DNS domain is invalid. */
export class ClusterDomainError extends Error {
  override readonly name = 'ClusterDomainError';
  readonly code = 'InvalidClusterDomain';
}

/** The default of Kubernetes. */
export const DEFAULT_CLUSTER_DOMAIN = 'cluster.local';

/** A label as in RFC 1123; one label is enough. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The DNS domain of the cluster's Services: the configured domain, or the one that kubelet writes to this pod's
 * resolv.conf (`svc.<domain>` in the search list), or `cluster.local`.
 *
 * @param named undefined or '': detect the domain
 * @param resolvConf content of /etc/resolv.conf; undefined if it cannot be read
 * @throws ClusterDomainError if `named` is not a valid domain
 */
export function clusterDomainOf(named: string | undefined, resolvConf: string | undefined): string {
  if (named === undefined || named === '') return domainIn(resolvConf ?? '') ?? DEFAULT_CLUSTER_DOMAIN;
  const domain = named.replace(/\.$/, '');
  if (isDomain(domain)) return domain;
  throw new ClusterDomainError(
    `${JSON.stringify(named)} is not a DNS domain: give that of the cluster's Services, such as ${DEFAULT_CLUSTER_DOMAIN}`,
  );
}

/**
 * The last `search` line counts (resolv.conf(5)). kubelet writes `<namespace>.svc.<domain> svc.<domain> <domain>`; a
 * namespace may itself be named `svc`.
 */
function domainIn(resolvConf: string): string | undefined {
  const lines = resolvConf.split('\n').filter((line) => /^search\s/.test(line));
  const searched = (lines.at(-1) ?? '').split(/\s+/).map((entry) => entry.replace(/\.$/, ''));
  const ofServices = searched.filter((entry) => entry.startsWith('svc.') && isDomain(entry.slice('svc.'.length)));
  const behindNamespace = ofServices.find((entry) => searched[searched.indexOf(entry) - 1]?.endsWith(`.${entry}`));
  return (behindNamespace ?? ofServices[0])?.slice('svc.'.length);
}

/**
 * Domains in lower case, also from `.lab.example` and `*.lab.example`.
 *
 * @throws ClusterDomainError
 */
export function dnsSuffixesOf(texts: readonly string[] = []): string[] {
  return texts.map((text) => {
    const domain = text
      .toLowerCase()
      .replace(/^\*?\./, '')
      .replace(/\.$/, '');
    if (isDomain(domain) && isIP(domain) === 0) return domain;
    throw new ClusterDomainError(
      `${JSON.stringify(text)} is no DNS domain: name one whose names BMCs may have, such as lab.example`,
    );
  });
}

function isDomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => LABEL.test(label));
}

/**
 * Ranges of IPv4 addresses from CIDRs.
 *
 * @throws AddressError
 */
export function ntpRangesOf(texts: readonly string[] = []): Ipv4Range[] {
  return texts.map((text) => {
    const range = parseIpv4Cidr(text);
    if (range === undefined) throw new AddressError(`${JSON.stringify(text)} is no IPv4 network: write 10.20.0.0/16`);
    return range;
  });
}

interface ClusterDependencies {
  /** As CIDRs. */
  clusterRanges?: readonly string[] | undefined;
  /** Set if the manager does not run in the cluster that it manages. */
  kubeconfig?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Addresses that the cluster itself uses, as CIDRs: the configured ones and the address of the API server for pods. A
 * pool that includes the latter hides the API server from its agents.
 */
export function clusterRangesOf({ clusterRanges = [], kubeconfig, env }: ClusterDependencies): readonly string[] {
  const { KUBERNETES_SERVICE_HOST: host } = env;
  return host === undefined || kubeconfig !== undefined ? clusterRanges : [...clusterRanges, `${host}/32`];
}
