export { startCluster, type ClusterOptions, type EmbeddedCluster } from './cluster.ts';
export type { BindFailure } from './services/index.ts';
export { DHCP_PORT } from './networks/index.ts';
