import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import { ApiError, isAlreadyExists, isRecord, type KubeClient, type KubeObject } from '@groundcrew/controller-runtime';
import { kubectlError } from './tools.ts';

/** A manifest could not be read, or the server rejected it. The message is meant for the author of the manifest. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError';
  readonly code = 'BadManifest';
}

export interface Manifest {
  /** File that contains the object. */
  file: string;
  object: KubeObject;
}

/**
 * Reads the objects in YAML or JSON files. A file may contain several documents; `List` kinds are expanded.
 *
 * @throws ManifestError
 */
export async function readManifests(files: readonly string[]): Promise<Manifest[]> {
  const single = await Promise.all(files.map(filesOf));
  const manifests = await Promise.all(single.flat().map(readFileManifests));
  return manifests.flat();
}

export interface CreateOptions {
  /** Whether existing objects are left unchanged; otherwise an existing object is an error. */
  keepExisting?: boolean;
}

/**
 * Creates the objects in order. Namespaced objects without a namespace are created in `default`.
 *
 * @throws ManifestError with the server's error as kubectl shows it
 */
export async function createManifests(
  client: KubeClient,
  manifests: readonly Manifest[],
  { keepExisting = false }: CreateOptions = {},
): Promise<void> {
  const paths = new ResourcePaths(client);
  for (const { file, object } of manifests) {
    try {
      const path = await paths.of(object);
      if (path === undefined) {
        throw new ManifestError(
          `resource mapping not found for name: "${object.metadata.name}" from "${file}": no matches for kind "${object.kind}" in version "${object.apiVersion}"`,
        );
      }
      await client.request({
        method: 'POST',
        path: `${path}?fieldManager=groundcrew-sandbox&fieldValidation=Strict`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(object),
      });
    } catch (cause) {
      if (keepExisting && isAlreadyExists(cause)) continue;
      if (cause instanceof ApiError)
        throw new ManifestError(kubectlError(cause, `error when creating "${file}"`), { cause });
      throw cause;
    }
  }
}

/** Identifies the object that a manifest creates: apiVersion, kind, namespace and name. */
export function subjectOf({ object: { apiVersion, kind, metadata } }: Manifest): string {
  const { namespace = 'default', name, generateName } = metadata as typeof metadata & { generateName?: string };
  const given = name as string | undefined; // undefined if the manifest has only generateName
  return `${apiVersion} ${kind} ${namespace}/${given ?? `${generateName ?? ''}*`}`;
}

/** A folder means the manifests in it; `-` means standard input, as with kubectl. */
async function filesOf(name: string): Promise<string[]> {
  if (name === '-' || !(await stat(name).catch(unreadable(name))).isDirectory()) return [name];
  const files = await readdir(name);
  return files
    .filter((file) => /\.(ya?ml|json)$/.test(file))
    .sort()
    .map((file) => join(name, file));
}

function unreadable(file: string): (cause: unknown) => never {
  return (cause) => {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    throw new ManifestError(isMissing ? `the path "${file}" does not exist` : `${file}: ${String(cause)}`, { cause });
  };
}

async function readFileManifests(file: string): Promise<Manifest[]> {
  const text = await (file === '-' ? readText(process.stdin) : readFile(file, 'utf8')).catch(unreadable(file));
  const objects: unknown[] = [];
  for (const document of parseAllDocuments(text)) {
    const [error] = document.errors;
    if (error !== undefined) throw new ManifestError(`error parsing ${file}: ${error.message}`);
    const value: unknown = document.toJS();
    if (value !== null) objects.push(value);
  }
  return objects.flatMap(unfold).map((object) => ({ file, object: checked(object, file) }));
}

function unfold(value: unknown): unknown[] {
  if (
    isRecord(value) &&
    typeof value['kind'] === 'string' &&
    value['kind'].endsWith('List') &&
    Array.isArray(value['items'])
  ) {
    return value['items'];
  }
  return [value];
}

function checked(value: unknown, file: string): KubeObject {
  if (!isRecord(value)) throw new ManifestError(`${file}: a manifest is an object with apiVersion, kind and metadata`);
  for (const field of ['apiVersion', 'kind'] as const) {
    if (typeof value[field] !== 'string') throw new ManifestError(`error validating "${file}": ${field} not set`);
  }
  const metadata = value['metadata'];
  if (!isRecord(metadata) || (typeof metadata['name'] !== 'string' && typeof metadata['generateName'] !== 'string')) {
    throw new ManifestError(`error validating "${file}": resource name may not be empty`);
  }
  // The checks above cover the three fields that KubeObject requires.
  return value as unknown as KubeObject;
}

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

/** Finds the REST path of a kind by discovery, with one request per group and version. */
class ResourcePaths {
  readonly #client: KubeClient;
  readonly #lists = new Map<string, ResourceList | undefined>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  async of(object: KubeObject): Promise<string | undefined> {
    const root = object.apiVersion.includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
    const resource = (await this.#list(root))?.resources.find(
      (candidate) => candidate.kind === object.kind && !candidate.name.includes('/'),
    );
    if (resource === undefined) return undefined;
    const namespace = encodeURIComponent(object.metadata.namespace ?? 'default');
    return resource.namespaced ? `${root}/namespaces/${namespace}/${resource.name}` : `${root}/${resource.name}`;
  }

  async #list(root: string): Promise<ResourceList | undefined> {
    if (!this.#lists.has(root)) {
      try {
        // APIResourceList of the discovery API.
        this.#lists.set(root, (await this.#client.request({ method: 'GET', path: root })) as ResourceList);
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
        this.#lists.set(root, undefined);
      }
    }
    return this.#lists.get(root);
  }
}
