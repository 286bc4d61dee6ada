export { startApiServer, type ApiServerStartOptions, type RunningApiServer } from './start-api-server.ts';
export { kubeconfigYaml, type KubeconfigOptions } from './kubeconfig.ts';
