export { startApiServer, type ApiServerStartOptions, type RunningApiServer } from './start-api-server.ts';
export { FolderDisk, StorageError } from './store/index.ts';
export { kubeconfigYaml, type KubeconfigOptions } from './kubeconfig.ts';
export type { AnsweredRequest } from './http/api-server.ts';
