import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually, type Cluster, type HttpAnswer, type HttpOptions } from '../../../../test/harness/index.ts';

export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';

type Fields = Record<string, unknown>;

export interface Body {
  kind?: string;
  apiVersion?: string;
  metadata: Fields & { name: string; uid: string; resourceVersion: string; generation?: number };
  spec?: Fields;
  status?: Fields;
  data?: Fields;
  [key: string]: unknown;
}

/** A kind to write objects of. */
export interface Subject {
  readonly kind: string;
  readonly group: string;
  readonly apiVersion: string;
  /** The path of the collection or of one object; `rest`: a subresource or query. */
  readonly path: (name?: string, rest?: string) => string;
  /** An object with the given strings in its spec or data. */
  readonly object: (name: string | undefined, texts?: Fields, metadata?: Fields) => Fields & { metadata: Fields };
}

export interface WriteScene {
  readonly configMaps: Subject;
  readonly widgets: Subject;
  readonly subjects: [string, Subject][];
  readonly namespace: () => string;
  /** A path of the scene's namespace: `within('pods')`, `within('deployments', 'apps')`. */
  readonly within: (plural: string, group?: string) => string;
  readonly unique: () => string;
  /** Creates an object; the test fails if the server refuses it. */
  readonly make: (path: string, body: unknown) => Promise<Body>;
  readonly get: (path: string) => Promise<Body>;
  readonly patch: (contentType: string, path: string, body: unknown) => Promise<HttpAnswer>;
  readonly put: (path: string, body: unknown) => Promise<HttpAnswer>;
}

export interface WriteOptions {
  /** Subresources of the widgets; default: status. */
  subresources?: Fields;
}

/** A namespace and a custom kind for one file. The kind is deleted after the file, because files can share a server. */
export function writeScene(
  { http, namespace }: Cluster,
  { subresources = { status: {} } }: WriteOptions = {},
): WriteScene {
  let where = '';
  let count = 0;
  const group = `g${randomBytes(4).toString('hex')}.example.com`;
  const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`;
  const send = async (method: 'POST' | 'PUT' | 'PATCH', path: string, options: HttpOptions): Promise<HttpAnswer> =>
    await http(method, path, options);
  beforeAll(async () => {
    where = await namespace();
    const body = widgetDefinition(group, subresources);
    expect((await http('POST', definition.slice(0, definition.lastIndexOf('/')), { body })).status).toBe(201);
    await eventually(async () => {
      expect((await http('GET', `/apis/${group}/v1/widgets`)).status).toBe(200);
      expect((await http('GET', `/openapi/v3/apis/${group}/v1`)).status).toBe(200);
    });
  });
  afterAll(async () => {
    await http('DELETE', definition);
  });
  const within = (plural: string, of = ''): string =>
    `${of === '' ? '/api/v1' : `/apis/${of}/v1`}/namespaces/${where}/${plural}`;
  const subject = (kind: string, plural: string, of: string, texts: 'data' | 'spec'): Subject => ({
    kind,
    group: of,
    apiVersion: of === '' ? 'v1' : `${of}/v1`,
    path: (name, rest = '') => `${within(plural, of)}${name === undefined ? '' : `/${name}`}${rest}`,
    object: (name, values, metadata = {}) => ({
      apiVersion: of === '' ? 'v1' : `${of}/v1`,
      kind,
      metadata: { ...(name === undefined ? {} : { name }), ...metadata },
      ...(values === undefined ? {} : { [texts]: values }),
    }),
  });
  const configMaps = subject('ConfigMap', 'configmaps', '', 'data');
  const widgets = subject('Widget', 'widgets', group, 'spec');
  return {
    configMaps,
    widgets,
    subjects: [
      ['a built-in kind', configMaps],
      ['a custom kind', widgets],
    ],
    namespace: () => where,
    within,
    unique: () => `x-${(count += 1)}`,
    make: async (path, body) => {
      const answer = await send('POST', path, { body });
      expect(answer).toMatchObject({ status: 201 });
      return answer.body as Body;
    },
    get: async (path) => {
      const answer = await http('GET', path);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body as Body;
    },
    patch: async (contentType, path, body) => await send('PATCH', path, { body, contentType }),
    put: async (path, body) => await send('PUT', path, { body }),
  };
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** A body with the server's choices masked if they are valid, and with managedFields in a fixed order. */
export function masked(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => masked(item));
    return key === 'managedFields' ? items.toSorted((a, b) => managerOf(a).localeCompare(managerOf(b))) : items;
  }
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, masked(child, name)]));
  if (typeof value !== 'string') return value;
  if (key === 'uid' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)) return '<uid>';
  if (key === 'resourceVersion' && /^\d+$/.test(value)) return '<version>';
  return (key.endsWith('Timestamp') || key === 'time') && TIME.test(value) ? '<time>' : value;
}

function managerOf(entry: unknown): string {
  const { manager, operation, subresource } = entry as Record<string, unknown>;
  return `${String(manager)} ${String(operation)} ${String(subresource)}`;
}

/** A masked entry of managedFields. */
export function owns(manager: string, fieldsV1: unknown, more: Fields = {}): Fields {
  return { manager, operation: 'Update', apiVersion: 'v1', time: '<time>', fieldsType: 'FieldsV1', fieldsV1, ...more };
}

/** The masked managedFields of an object. */
export function ownersOf(body: unknown): unknown {
  return masked((body as Body).metadata['managedFields'], 'managedFields');
}

/** The texts of the warnings of an answer. */
export function warningTexts({ headers }: HttpAnswer): string[] {
  return [headers['warning'] ?? []].flat().map((line) => JSON.parse(line.replace(/^299 - /, '')) as string);
}

/** A kind with a field of each type that writes treat differently. */
export function widgetDefinition(group: string, subresources: Fields = { status: {} }): Fields {
  const text = { type: 'string' };
  const pair = { type: 'object', properties: { a: text, b: text } };
  const spec = {
    type: 'object',
    properties: {
      text,
      colour: { type: 'string', enum: ['red', 'green'] },
      number: { type: 'integer' },
      flag: { type: 'boolean' },
      replicas: { type: 'integer', format: 'int32' },
      preset: { type: 'string', default: 'p' },
      nullable: { type: 'string', nullable: true },
      free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      map: { type: 'object', additionalProperties: text },
      whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
      list: { type: 'array', items: text },
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
      entries: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          required: ['name'],
          properties: { name: text, value: text, preset: { type: 'string', default: 'q' } },
        },
      },
      pair,
    },
    'x-kubernetes-validations': [{ rule: "!has(self.colour) || self.colour != 'green' || has(self.number)" }],
  };
  const status = {
    type: 'object',
    properties: { phase: text, replicas: { type: 'integer', minimum: 0 }, selector: text },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        },
      ],
    },
  };
}
