/** A cluster's DNS domain that is none. */
export class ClusterDomainError extends Error {
  override readonly name = 'ClusterDomainError';
  readonly code = 'InvalidClusterDomain';
}

/** Where nobody says otherwise. */
export const DEFAULT_CLUSTER_DOMAIN = 'cluster.local';

/** RFC 1123, as Kubernetes takes it; one label is enough. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * The DNS domain of the cluster's Services: the one that was named, or the one of which kubelet tells this pod (`svc.<domain>` among
 * the search domains of resolv.conf), or `cluster.local`.
 *
 * @param named undefined or '': it is to be found out
 * @param resolvConf content of /etc/resolv.conf; undefined where it cannot be read
 * @throws ClusterDomainError where what was named is no domain
 */
export function clusterDomainOf(named: string | undefined, resolvConf: string | undefined): string {
  if (named === undefined || named === '') return domainIn(resolvConf ?? '') ?? DEFAULT_CLUSTER_DOMAIN;
  const domain = named.replace(/\.$/, '');
  if (isDomain(domain)) return domain;
  throw new ClusterDomainError(
    `${JSON.stringify(named)} is no DNS domain: name that of the cluster's Services, such as ${DEFAULT_CLUSTER_DOMAIN}`,
  );
}

/** Of several lines the last one counts (resolv.conf(5)). */
function domainIn(resolvConf: string): string | undefined {
  const lines = resolvConf.split('\n').filter((line) => /^search\s/.test(line));
  const searched = (lines.at(-1) ?? '').split(/\s+/).slice(1);
  return searched
    .filter((entry) => entry.startsWith('svc.'))
    .map((entry) => entry.slice('svc.'.length).replace(/\.$/, ''))
    .find(isDomain);
}

function isDomain(text: string): boolean {
  return text.length <= 253 && text.split('.').every((label) => LABEL.test(label));
}
