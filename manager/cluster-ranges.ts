export interface ClusterDependencies {
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
