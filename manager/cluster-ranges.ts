export interface ClusterDependencies {
  /** As CIDRs. */
  clusterRanges?: readonly string[] | undefined;
  /** Of a cluster that is not the one that this runs in. */
  kubeconfig?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Addresses that the cluster uses itself, as CIDRs: those that were named, and that of the API server, by which this pod and
 * every agent reach it. A pool that has that one hides the API server from its agents.
 */
export function clusterRangesOf({ clusterRanges = [], kubeconfig, env }: ClusterDependencies): readonly string[] {
  const { KUBERNETES_SERVICE_HOST: host } = env;
  return host === undefined || kubeconfig !== undefined ? clusterRanges : [...clusterRanges, `${host}/32`];
}
