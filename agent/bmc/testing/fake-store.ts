import type {
  ConfigMap,
  Kind,
  KubeObject,
  Secret,
  Transport,
  TransportRequest,
  TransportResponse,
} from '@groundcrew/controller-runtime';
import type { ObjectWatch, ObjectWatches } from '../objects/named-watches.ts';

type Stored = ConfigMap | Secret;

/** Result of a request: `forbidden` is 403, `refused` reaches no server, `lost` is executed without a response. */
export type Fate = 'answered' | 'forbidden' | 'refused' | 'lost';

/**
 * An API server in memory with ConfigMaps and Secrets. It implements the requests of an agent: reads, server-side apply of
 * metadata, and merge patches with a resource version.
 */
export class FakeStore implements Transport {
  readonly objects = new Map<string, Stored>();
  /** Method and name of each request. */
  readonly requests: string[] = [];
  /** Called before each request. */
  fate: (request: TransportRequest) => Fate = () => 'answered';
  /** Called before each patch, for concurrent changes. */
  before: (request: TransportRequest) => void = () => undefined;
  #version = 1;

  request(request: TransportRequest): Promise<TransportResponse> {
    const fate = this.fate(request);
    if (fate === 'refused') return Promise.reject(new Error('ECONNREFUSED'));
    if (fate === 'forbidden') return Promise.resolve(refusal(403, 'Forbidden'));
    if (request.method === 'PATCH') this.before(request);
    const answer = this.#answer(request);
    return fate === 'lost' ? Promise.reject(new Error('ECONNRESET')) : Promise.resolve(answer);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Creates or changes an object as another client. */
  put(kind: 'configmaps' | 'secrets', object: Stored): void {
    this.#version += 1;
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) };
    this.objects.set(`${kind}/${object.metadata.name}`, { ...object, metadata });
  }

  delete(kind: 'configmaps' | 'secrets', name: string): void {
    this.objects.delete(`${kind}/${name}`);
  }

  find(kind: 'configmaps' | 'secrets', name: string): Stored | undefined {
    return structuredClone(this.objects.get(`${kind}/${name}`));
  }

  #answer({ method, path, headers = {}, body = '' }: TransportRequest): TransportResponse {
    const [, kind = '', name = ''] = /namespaces\/vms\/(configmaps|secrets)\/([^/?]+)/.exec(path) ?? [];
    this.requests.push(`${method} ${name}`);
    const key = `${kind}/${name}`;
    const found = this.objects.get(key);
    if (method === 'GET') return found === undefined ? refusal(404, 'NotFound') : reply(found);
    const given = JSON.parse(body) as Partial<Stored>;
    const isApply = headers['content-type'] === 'application/apply-patch+yaml';
    if (found === undefined && !isApply) return refusal(404, 'NotFound');
    const version = given.metadata?.resourceVersion;
    // As kube-apiserver does, an apply that creates ignores the version.
    if (found !== undefined && version !== undefined && version !== found.metadata.resourceVersion)
      return refusal(409, 'Conflict');
    const type = { apiVersion: 'v1', kind: kind === 'secrets' ? 'Secret' : 'ConfigMap' };
    const merged = {
      ...type,
      ...found,
      metadata: { name, namespace: 'vms', uid: `uid-${this.#version}`, ...found?.metadata, ...given.metadata },
      data: { ...found?.data, ...given.data },
    };
    this.put(kind === 'secrets' ? 'secrets' : 'configmaps', merged);
    return reply(this.objects.get(key));
  }
}

function reply(object: KubeObject | undefined): TransportResponse {
  return { status: 200, headers: {}, body: body(structuredClone(object)) };
}

function refusal(status: number, reason: string): TransportResponse {
  const message = reason === 'Conflict' ? 'the object has been modified' : 'not found';
  return { status, headers: {}, body: body({ kind: 'Status', apiVersion: 'v1', code: status, reason, message }) };
}

function body(value: unknown): AsyncIterable<Uint8Array> {
  return ReadableStream.from<Uint8Array>([Buffer.from(JSON.stringify(value))]);
}

/** Watches of a {@link FakeStore} that deliver changes when the test calls `tell`. */
export class HandWatches implements ObjectWatches {
  readonly #store: FakeStore;
  readonly #watches: (() => void)[] = [];

  constructor(store: FakeStore) {
    this.#store = store;
  }

  watch<T extends KubeObject>(kind: Kind<T>, name: string, onChange: () => void): ObjectWatch<T> {
    const plural = kind.plural as 'configmaps' | 'secrets'; // the store has no others
    let told: { object: T | undefined } | undefined;
    this.#watches.push(() => {
      told = { object: this.#store.find(plural, name) as unknown as T | undefined }; // of that kind
      onChange();
    });
    return {
      get object() {
        return told?.object;
      },
      get hasSettled() {
        return told !== undefined;
      },
      isFresh: true,
      refresh: () => Promise.resolve(),
      stop: () => undefined,
    };
  }

  /** Delivers the current objects to all watches. */
  tell(): void {
    for (const hear of this.#watches) hear();
  }
}
