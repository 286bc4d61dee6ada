import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Pod } from '@groundcrew/controller-runtime';

export type Container = NonNullable<Pod['spec']>['containers'][number];

/** What an image runs on this machine. */
export interface Image {
  /** Program and first arguments; a container's `args` follow. */
  command: readonly string[];
  environment?: Readonly<Record<string, string>>;
}

/** Images by reference, with or without tag. */
export type Images = Readonly<Record<string, Image>>;

/** The image with exactly this reference, else the one with its name without tag and digest. */
export function findImage(images: Images, reference: string): Image | undefined {
  if (Object.hasOwn(images, reference)) return images[reference];
  const name = reference.replace(/@.*$/, '').replace(/:[^/:]*$/, '');
  return Object.hasOwn(images, name) ? images[name] : undefined;
}

/** kubelet's reason for not starting a container. */
export class ContainerConfigError extends Error {
  override readonly name = 'CreateContainerConfigError';
  readonly code = 'CreateContainerConfigError';
}

/** Folders on this machine by the volume's name. */
export type Volumes = ReadonlyMap<string, string>;

/** Where API servers with the ServiceAccount admission plug-in mount a volume with the pod's token. */
const TOKEN_MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Makes a folder under `directory` for each emptyDir of the pod. The volume with its token is left out: those files have a
 * folder of their own (`serviceAccountDirectory`).
 *
 * @throws ContainerConfigError for other volumes
 */
export async function makeVolumes(pod: Pod, directory: string): Promise<Volumes> {
  const volumes = new Map<string, string>();
  const mounts = (pod.spec?.containers ?? []).flatMap(({ volumeMounts = [] }) => volumeMounts);
  const tokens = mounts.filter(({ mountPath }) => mountPath === TOKEN_MOUNT).map(({ name }) => name);
  for (const { name, emptyDir } of pod.spec?.volumes ?? []) {
    if (tokens.includes(name)) continue;
    if (emptyDir === undefined) {
      throw new ContainerConfigError(`volume ${name} is no emptyDir; the kubelet of the sandbox supports no others`);
    }
    const path = join(directory, basename(name));
    await mkdir(path, { recursive: true });
    volumes.set(name, path);
  }
  return volumes;
}

/** The program of a container and its environment. */
export interface Launch {
  command: readonly string[];
  environment: Readonly<Record<string, string>>;
}

export interface LaunchSource {
  pod: Pod;
  container: Container;
  image: Image;
  podIp: string;
  apiServer: { host: string; port: number };
  /** Folder with the credentials of the pod's service account, if it has them. */
  serviceAccountDirectory: string | undefined;
  volumes: Volumes;
}

/** Search path of containers whose image sets none. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** @throws ContainerConfigError for a variable that the sandbox does not support */
export function launchOf(source: LaunchSource): Launch {
  const { container, image, volumes } = source;
  const environment = environmentOf(source);
  const translated = (text: string): string => translateMount(text, container, volumes);
  const expanded = (text: string): string => translated(expandVariables(text, environment));
  return {
    command: [...(container.command?.map(expanded) ?? image.command), ...(container.args ?? []).map(expanded)],
    environment: Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, translated(value)])),
  };
}

function environmentOf(source: LaunchSource): Record<string, string> {
  const { pod, container, image, apiServer, serviceAccountDirectory } = source;
  const environment: Record<string, string> = {
    PATH,
    HOSTNAME: pod.metadata.name,
    KUBERNETES_SERVICE_HOST: apiServer.host,
    KUBERNETES_SERVICE_PORT: String(apiServer.port),
    KUBERNETES_SERVICE_PORT_HTTPS: String(apiServer.port),
    ...(serviceAccountDirectory === undefined ? {} : { GROUNDCREW_SERVICEACCOUNT_DIR: serviceAccountDirectory }),
    ...image.environment,
  };
  for (const { name, value = '', valueFrom } of container.env ?? []) {
    environment[name] =
      valueFrom === undefined
        ? expandVariables(value, environment)
        : fieldOf(name, valueFrom.fieldRef?.fieldPath, source);
  }
  return environment;
}

function fieldOf(variable: string, path: string | undefined, { pod, podIp }: LaunchSource): string {
  switch (path) {
    case 'metadata.name':
      return pod.metadata.name;
    case 'metadata.namespace':
      return pod.metadata.namespace ?? '';
    case 'status.podIP':
    case 'status.podIPs':
      return podIp;
    default:
      throw new ContainerConfigError(
        `the kubelet of the sandbox cannot set the variable ${variable}: use a value, or the fieldRef metadata.name, metadata.namespace, status.podIP or status.podIPs`,
      );
  }
}

/**
 * Replaces `$(NAME)` by the variable's value, as kubelet does in `args`, `command` and `env`. An undefined name is
 * kept, and `$$` is an escaped `$`.
 */
export function expandVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\$|\$\(([^()]*)\)/g, (match, name: string | undefined) => {
    if (name === undefined) return '$';
    return Object.hasOwn(variables, name) ? (variables[name] ?? match) : match;
  });
}

/** Replaces the path of a mount at the start of `text` by its folder on this machine: a process sees no mounts. */
export function translateMount(text: string, container: Container, volumes: Volumes): string {
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const folder = volumes.get(name);
    if (folder === undefined || !`${text}/`.startsWith(`${mountPath}/`)) continue;
    return folder + text.slice(mountPath.length);
  }
  return text;
}
