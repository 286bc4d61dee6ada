export { startApiServer, type ApiServerStartOptions, type RunningApiServer } from './start-api-server.ts';
export { FolderDisk, StorageError } from './store/index.ts';
export { kubeconfigYaml, type KubeconfigOptions } from './kubeconfig.ts';
export type { AnsweredRequest, AskedRequest } from './http/api-server.ts';
