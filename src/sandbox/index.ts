export { startCluster, type ClusterOptions, type EmbeddedCluster } from './cluster.ts';
export { kubeconfigYaml } from './apiserver/index.ts';
export type { BindFailure } from './services/index.ts';
export { writePidFile } from './pid-file.ts';
export { sweepAbandoned } from './sweep-abandoned.ts';
