export { startCluster, type ClusterOptions, type EmbeddedCluster } from './cluster.ts';
export { kubeconfigYaml } from './apiserver/index.ts';
