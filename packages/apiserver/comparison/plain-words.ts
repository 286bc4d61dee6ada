import { OWNER_UID } from './operation.ts';

export const OTHER_UID = '00000000-0000-4000-8000-000000000000';
export const UNKNOWN_VERSION = '999999999';

const TIME = /(?!2020-01-02)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g; // a request's own time is a word like others
const GENERATED_NAME = /(?:gen|Not a name)-[bcdfghjklmnpqrstvwxz2456789]{5}(?![a-z0-9])/g;
/** In sentences, in JSON within JSON, and as Go shows maps. */
const VERSION_IN_WORDS = /(?:resourceVersion|in the precondition|in record|current)[\\": (]+[1-9]\d*/g;
/** Published by a controller that the real control plane is without. */
const ROOT_CA = 'kube-root-ca.crt';
/** As a Table shows it. */
const NODE_PORT_IN_WORDS = /(?<=:)3[0-2]\d{3}(?=\/)/g;
const ADDRESS = /127\.96\.\d+\.\d+/g;

/**
 * Puts a server's answers in words that mean the same on every server. What it makes up — UIDs, versions, times, names,
 * addresses, ports — is told by its first appearance: two servers that do the same give the same answers.
 */
export class PlainWords {
  readonly #namespace: string;
  readonly #names = new Map<string, string>();
  readonly #uids = new Set<string>();

  /** `ownerUid`: of the object in the role of `OWNER_NAME`. */
  constructor(namespace: string, ownerUid: string) {
    this.#namespace = namespace;
    this.#names.set(`uid ${ownerUid}`, OWNER_UID);
    this.#uids.add(ownerUid);
  }

  /** `isList`: its version is the server's and not an object's. */
  of(value: unknown, isList = false): unknown {
    return inOrder(this.#plain(isList ? withoutVersion(value) : value, ''));
  }

  #plain(value: unknown, field: string): unknown {
    if (Array.isArray(value)) return this.#plainList(value, field);
    if (typeof value === 'object' && value !== null) return this.#plainObject(value as Record<string, unknown>); // JSON
    if (field === 'nodePort' || field === 'healthCheckNodePort') return this.#named('port', String(value));
    if (typeof value !== 'string') return value;
    if (field === 'uid' && value !== OTHER_UID) return this.#named('uid', value);
    if (field === 'resourceVersion') return this.#version(value);
    return this.#plainText(value);
  }

  #plainObject(object: Record<string, unknown>): Record<string, unknown> {
    const entries = Object.entries(object['kind'] === 'Table' ? ageless(object) : object);
    // One order for both servers, since names are given as values appear.
    entries.sort(([one], [other]) => (one < other ? -1 : 1));
    return Object.fromEntries(entries.map(([key, part]) => [this.#plainText(key), this.#plain(part, key)]));
  }

  #plainList(list: readonly unknown[], field: string): unknown[] {
    const plain = list.filter((item) => nameOf(item) !== ROOT_CA).map((item) => this.#plain(item, field));
    // Managers of one second are in the order of their names, and lists in that of names, of which some are made up.
    if (field === 'managedFields') return sorted(plain, (item) => JSON.stringify(item));
    if (field === 'items' || field === 'rows') return sorted(plain, nameOf);
    return plain;
  }

  /** In messages UIDs and versions stand among words. */
  #plainText(text: string): string {
    let plain = text
      .replaceAll(this.#namespace, 'the-namespace')
      .replaceAll(TIME, 'a time')
      .replaceAll(ADDRESS, 'an address')
      .replaceAll(NODE_PORT_IN_WORDS, (port) => this.#named('port', port))
      .replaceAll(GENERATED_NAME, (name) => this.#named('generated', name));
    for (const uid of this.#uids) plain = plain.replaceAll(uid, this.#named('uid', uid));
    return plain.replaceAll(VERSION_IN_WORDS, (words) => words.replace(/\d+/, (version) => this.#version(version)));
  }

  #version(value: string): string {
    return value === '' || value === UNKNOWN_VERSION ? value : this.#named('version', value);
  }

  #named(what: string, value: string): string {
    if (what === 'uid') this.#uids.add(value);
    const key = `${what} ${value}`;
    const name = this.#names.get(key) ?? `${what} ${this.#names.size}`;
    this.#names.set(key, name);
    return name;
  }
}

function withoutVersion(list: unknown): unknown {
  if (typeof list !== 'object' || list === null || !('metadata' in list)) return list;
  return { ...list, metadata: { ...(list.metadata as object), resourceVersion: '' } }; // of a list, as servers answer it
}

/** A Table without the ages in its cells. */
function ageless(table: Record<string, unknown>): Record<string, unknown> {
  const columns = table['columnDefinitions'] as { name: string }[] | null; // a Table's own, as its rows are
  const rows = (table['rows'] ?? []) as { cells: unknown[] }[];
  // The events of a watch have the columns in the first alone.
  const isAge = (cell: unknown, index: number) =>
    columns === null ? typeof cell === 'string' && /^\d+s$/.test(cell) : columns[index]?.name === 'Age';
  return {
    ...table,
    rows: rows.map((row) => ({
      ...row,
      cells: row.cells.map((cell, index) => (isAge(cell, index) ? 'an age' : cell)),
    })),
  };
}

/** Of an object in a list, a row of a Table, or an event of a watch. */
function nameOf(item: unknown): string {
  if (typeof item !== 'object' || item === null) return '';
  const { metadata, object } = item as { metadata?: { name?: string }; object?: { metadata?: { name?: string } } }; // JSON
  return (metadata ?? object?.metadata)?.name ?? '';
}

function sorted(items: readonly unknown[], by: (item: unknown) => string): unknown[] {
  return [...items].sort((one, other) => (by(one) < by(other) ? -1 : 1));
}

/** kube-apiserver goes through maps in no order: the errors of one answer are compared as a set. */
function inOrder(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Reflect.get(body, 'status') !== 'Failure') return body;
  const { message, details, ...rest } = body as { message: string; details?: { causes?: unknown[] } }; // a Status
  const asSet = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).sort();
  return {
    ...rest,
    message: asSet(message.split(/, |\[|\]|\n */)),
    details: { ...details, causes: asSet(details?.causes ?? []) },
  };
}
