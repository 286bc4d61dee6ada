import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CONFIG_MAPS, SECRETS, type KubeClient, type Pod } from '@groundcrew/controller-runtime';
import { environmentOf, expandVariables, type Container } from './environment.ts';
import type { Image } from './images.ts';
import { translateMounts, type Volumes } from './volumes.ts';

/** What a container is started with; made anew for each start, since Secrets may have changed. */
export interface Launch {
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
}

export interface LaunchSource {
  client: KubeClient;
  pod: Pod;
  container: Container;
  image: Image;
  podIp: string;
  hostIp: string;
  apiServer: { host: string; port: number };
  /** Folder with the credentials of the pod's service account, if it has them. */
  serviceAccountDirectory: string | undefined;
  volumes: Volumes;
  /** Folder of this container; made when it is not there. */
  directory: string;
}

/** What containers have for a search path where their image sets none. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Gathers the command and the environment of a container.
 *
 * @throws ContainerConfigError where something that the container names is not there
 */
export async function prepareLaunch(source: LaunchSource): Promise<Launch> {
  const { client, pod, container, image, podIp, hostIp, volumes } = source;
  await mkdir(source.directory, { recursive: true });
  const namespace = pod.metadata.namespace ?? '';
  const references = (container.env ?? []).map(({ valueFrom }) => valueFrom);
  const secrets = await findAll(
    references.map((reference) => reference?.secretKeyRef?.name),
    (name) => client.find(SECRETS, { namespace, name }),
  );
  const configMaps = await findAll(
    references.map((reference) => reference?.configMapKeyRef?.name),
    (name) => client.find(CONFIG_MAPS, { namespace, name }),
  );
  const base = baseEnvironment(source);
  const environment = environmentOf({ pod, container, podIp, hostIp, base, secrets, configMaps });
  const own = (text: string): string => translateMounts(expandVariables(text, environment), container, volumes);
  const program = container.command === undefined ? image.command : container.command.map(own);
  const translated = Object.entries(environment).map(([name, value]) => [
    name,
    translateMounts(value, container, volumes),
  ]);
  return {
    command: [...program, ...(container.args ?? []).map(own)],
    // Entries of strings make a record of strings.
    environment: Object.fromEntries(translated) as Record<string, string>,
  };
}

function baseEnvironment({ pod, image, apiServer, serviceAccountDirectory }: LaunchSource): Record<string, string> {
  return {
    PATH,
    HOSTNAME: pod.metadata.name,
    KUBERNETES_SERVICE_HOST: apiServer.host,
    KUBERNETES_SERVICE_PORT: String(apiServer.port),
    KUBERNETES_SERVICE_PORT_HTTPS: String(apiServer.port),
    ...(serviceAccountDirectory === undefined ? {} : { GROUNDCREW_SERVICEACCOUNT_DIR: serviceAccountDirectory }),
    ...image.environment,
  };
}

async function findAll<T>(
  names: (string | undefined)[],
  find: (name: string) => Promise<T | undefined>,
): Promise<Map<string, T | undefined>> {
  const wanted = new Set(names.filter((name) => name !== undefined));
  return new Map(await Promise.all([...wanted].map(async (name) => [name, await find(name)] as const)));
}

/** Where one container keeps its logs and has its working directory. */
export function containerDirectory(podDirectory: string, container: Container): string {
  return join(podDirectory, 'containers', container.name);
}
