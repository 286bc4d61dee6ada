export { startCluster, type ClusterOptions, type EmbeddedCluster } from './cluster.ts';
export { kubeconfigYaml, StorageError } from './apiserver/index.ts';
export { DataFolder, DataFolderError, type Origin } from './data-folder/index.ts';
export type { BindFailure } from './services/index.ts';
export { DHCP_PORT } from './networks/index.ts';
export { writePidFile } from './pid-file.ts';
export { sweepAbandoned } from './sweep-abandoned.ts';
