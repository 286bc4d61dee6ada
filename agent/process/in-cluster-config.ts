import { serviceAccountConfig, type ServiceAccountConfig } from '@groundcrew/controller-runtime';

/**
 * Access to the API server from inside the agent's Pod.
 *
 * @throws Error if the environment or the service account's folder is not that of a Pod
 */
export function inClusterConfig(env: Readonly<Record<string, string | undefined>>): ServiceAccountConfig {
  const {
    KUBERNETES_SERVICE_HOST: host,
    KUBERNETES_SERVICE_PORT: port,
    GROUNDCREW_SERVICEACCOUNT_DIR: directory,
  } = env;
  if (host === undefined || port === undefined) {
    throw new Error(
      'KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: an agent runs only in a Pod of the manager',
    );
  }
  return serviceAccountConfig({ host, port, ...(directory === undefined ? {} : { directory }) });
}
