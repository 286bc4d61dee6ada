import type { Http, HttpAnswer } from '../../../test/harness/index.ts';
import { GENERATED, OWNER_NAME, OWNER_UID, type Operation } from './operation.ts';
import { OTHER_UID, UNKNOWN_VERSION, type PlainWords } from './plain-words.ts';

/** A request as it was sent, and its answer in plain words. */
export interface Played {
  /** What a person can send again. */
  request: string;
  answer: unknown;
}

interface Known {
  uid: string;
  versions: string[];
}

interface Surroundings {
  http: Http;
  words: PlainWords;
  namespace: string;
  ownerUid: string;
}

/** Plays operations on one server, in one namespace, and remembers what the server made up for those that follow. */
export class Player {
  readonly #around: Surroundings;
  readonly #known = new Map<string, Known>();
  #generated = 'none-yet';

  constructor(around: Surroundings) {
    this.#around = around;
  }

  async play(operation: Operation): Promise<Played> {
    const { http, words } = this.#around;
    const { method, on, contentType, accept } = operation;
    const path = this.#pathOf(operation);
    const body = this.#textOf(operation);
    const answer = await http(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
      ...(accept === undefined ? {} : { accept }),
    });
    this.#learn(operation, answer);
    return {
      request: [method, path, contentType, accept, body].filter((part) => part !== undefined).join(' '),
      answer: {
        status: answer.status,
        warnings: words.of(answer.headers['warning']),
        body: words.of(answer.body, on === 'collection' && method !== 'POST'),
      },
    };
  }

  #pathOf({ kind, on, name, query }: Operation): string {
    const collection = `${kind.root}/namespaces/${this.#around.namespace}/${kind.plural}`;
    const object = `${collection}/${this.#nameOf(name)}`;
    const path = on === 'collection' ? collection : on === 'status' ? `${object}/status` : object;
    const search = new URLSearchParams(query).toString();
    return search === '' ? path : `${path}?${search}`;
  }

  #nameOf(name: string): string {
    return name === GENERATED ? this.#generated : name;
  }

  #textOf(operation: Operation): string | undefined {
    const body = this.#bodyOf(operation);
    if (body === undefined) return undefined;
    const text = operation.twice === undefined ? JSON.stringify(body) : textWithTwice(body, operation.twice);
    return text.replaceAll(OWNER_UID, this.#around.ownerUid).replaceAll(OWNER_NAME, this.#around.namespace);
  }

  #bodyOf({ body, version, uid, method, name }: Operation): unknown {
    if (body === undefined || Array.isArray(body)) return body;
    const known = this.#known.get(this.#nameOf(name));
    const named = {
      ...(uid === undefined ? {} : { uid: uid === 'own' ? (known?.uid ?? OTHER_UID) : OTHER_UID }),
      ...versionOf(version, known),
    };
    const whole = body as Record<string, unknown>; // the operations make bodies of objects
    if (Object.keys(named).length === 0) return whole;
    if (method === 'DELETE') return { ...whole, preconditions: named };
    return { ...whole, metadata: { ...(whole['metadata'] as object | undefined), ...named } };
  }

  #learn({ query, method, on }: Operation, { body, status }: HttpAnswer): void {
    if (query['dryRun'] !== undefined || status >= 300) return;
    const { name, uid, resourceVersion, generateName } = metadataOf(body);
    if (name === undefined || uid === undefined || resourceVersion === undefined) return;
    if (method === 'POST' && on === 'collection' && generateName !== undefined) this.#generated = name;
    const known = this.#known.get(name);
    const versions = known?.uid === uid ? known.versions : [];
    this.#known.set(name, { uid, versions: [...versions, resourceVersion] });
  }
}

/** JSON in which one key of the object, or of its metadata, stands twice. */
function textWithTwice(body: unknown, key: string): string {
  const whole = body as Record<string, unknown>; // the operations make bodies of objects
  const doubled = (object: object) => {
    const part: unknown = Reflect.get(object, key);
    return `{${JSON.stringify(key)}:${JSON.stringify(part)},${JSON.stringify(object).slice(1)}`;
  };
  if (whole[key] !== undefined) return doubled(whole);
  const { metadata } = whole;
  const isThere = typeof metadata === 'object' && metadata !== null && Reflect.get(metadata, key) !== undefined;
  return isThere
    ? JSON.stringify(whole).replace(JSON.stringify(metadata), () => doubled(metadata))
    : JSON.stringify(whole);
}

function versionOf(version: Operation['version'], known: Known | undefined): { resourceVersion?: string } {
  switch (version) {
    case 'current':
      return { resourceVersion: known?.versions.at(-1) ?? UNKNOWN_VERSION };
    case 'first':
      return { resourceVersion: known?.versions[0] ?? UNKNOWN_VERSION };
    case 'unknown':
      return { resourceVersion: UNKNOWN_VERSION };
    default:
      return {};
  }
}

function metadataOf(body: unknown): Partial<Record<'name' | 'uid' | 'resourceVersion' | 'generateName', string>> {
  const metadata: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'metadata') : undefined;
  return metadata ?? {}; // an object's own
}
