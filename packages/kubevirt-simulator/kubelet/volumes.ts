import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CONFIG_MAPS, SECRETS, type KubeClient, type Pod } from '@groundcrew/controller-runtime';
import { ContainerConfigError, type Container } from './environment.ts';

type Volume = NonNullable<NonNullable<Pod['spec']>['volumes']>[number];

/** Folders on this machine by the volume's name. */
export type Volumes = ReadonlyMap<string, string>;

/**
 * Makes the pod's volumes as folders under `directory`: emptyDir, and Secrets and ConfigMaps as they are now.
 *
 * @throws ContainerConfigError for a kind of volume, or an object, that is not there
 */
export async function makeVolumes(client: KubeClient, pod: Pod, directory: string): Promise<Volumes> {
  const volumes = new Map<string, string>();
  for (const volume of pod.spec?.volumes ?? []) {
    const path = join(directory, basename(volume.name));
    await mkdir(path, { recursive: true });
    await fill(client, pod.metadata.namespace ?? '', volume, path);
    volumes.set(volume.name, path);
  }
  return volumes;
}

async function fill(client: KubeClient, namespace: string, volume: Volume, path: string): Promise<void> {
  const { emptyDir, secret, configMap } = volume;
  if (emptyDir !== undefined) return;
  if (secret !== undefined) {
    const found = await client.find(SECRETS, { namespace, name: secret.secretName ?? '' });
    if (found === undefined && secret.optional !== true) throw notFound('secret', secret.secretName);
    await writeKeys(path, found?.data, 'base64');
  } else if (configMap !== undefined) {
    const found = await client.find(CONFIG_MAPS, { namespace, name: configMap.name ?? '' });
    if (found === undefined && configMap.optional !== true) throw notFound('configmap', configMap.name);
    await writeKeys(path, found?.data, 'utf8');
  } else {
    const kind = Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
    throw new ContainerConfigError(`the sandbox's kubelet has no ${kind} volumes: use emptyDir, secret or configMap`);
  }
}

function notFound(kind: string, name: string | undefined): ContainerConfigError {
  return new ContainerConfigError(`${kind} "${name ?? ''}" not found`);
}

async function writeKeys(
  path: string,
  data: Record<string, string> | undefined,
  encoding: 'base64' | 'utf8',
): Promise<void> {
  for (const [key, value] of Object.entries(data ?? {})) {
    await writeFile(join(path, basename(key)), Buffer.from(value, encoding), { mode: 0o600 });
  }
}

/**
 * A program on this machine sees no mounts: where an argument or a variable begins with a mount's path, or has it
 * behind a `=`, it gets the folder that stands for it.
 */
export function translateMounts(text: string, container: Container, volumes: Volumes): string {
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    const folder = volumes.get(name);
    if (folder === undefined) continue;
    const start = text.startsWith(mountPath) ? 0 : text.indexOf(`=${mountPath}`) + 1;
    const end = start + mountPath.length;
    const whole = text.length === end || text[end] === '/';
    if (text.startsWith(mountPath, start) && whole) return text.slice(0, start) + folder + text.slice(end);
  }
  return text;
}
