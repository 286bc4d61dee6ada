import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually, type Cluster, type HttpAnswer, type HttpOptions } from '../../../../test/harness/index.ts';
import { refusal } from '../refusal.ts';

export const MERGE = 'application/merge-patch+json';
export const JSON_PATCH = 'application/json-patch+json';
export const STRATEGIC = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';

type Fields = Record<string, unknown>;

/** An object as the API has it. */
export interface Body {
  kind?: string;
  apiVersion?: string;
  metadata: Fields & { name: string; uid: string; resourceVersion: string; generation?: number };
  spec?: Fields;
  status?: Fields;
  data?: Fields;
  [key: string]: unknown;
}

/** A field that is wrong, as `details.causes` tells it. */
export interface Wrong {
  field: string;
  reason: string;
  message: string;
}

/** A kind to write objects of. */
export interface Subject {
  readonly kind: string;
  readonly group: string;
  readonly apiVersion: string;
  /** As messages call it: `widgets.example.com`. */
  readonly resource: string;
  /** Where its objects are, or one of them; `rest`: a subresource or query. */
  readonly path: (name?: string, rest?: string) => string;
  /** An object with texts in its spec or data. */
  readonly object: (name: string | undefined, texts?: Fields, metadata?: Fields) => Fields & { metadata: Fields };
  /** A 422 for what is wrong with an object. */
  readonly invalid: (name: string, ...wrong: Wrong[]) => Partial<HttpAnswer>;
  /** What a refusal that is about an object says of it. */
  readonly details: (name: string) => Fields;
}

export interface WriteScene {
  readonly configMaps: Subject;
  readonly widgets: Subject;
  readonly subjects: [string, Subject][];
  /** The namespace that the subjects are in. */
  readonly namespace: () => string;
  /** A path of the scene's namespace: `within('pods')`, `within('deployments', 'apps')`. */
  readonly within: (plural: string, group?: string) => string;
  /** A name that nothing else has. */
  readonly unique: () => string;
  /** Creates, and fails where that does not work. */
  readonly make: (path: string, body: unknown) => Promise<Body>;
  readonly get: (path: string) => Promise<Body>;
  readonly patch: (contentType: string, path: string, body: unknown) => Promise<HttpAnswer>;
  readonly put: (path: string, body: unknown) => Promise<HttpAnswer>;
}

export interface WriteOptions {
  /** Subresources of the widgets; by default they have a status. */
  subresources?: Fields;
}

/** A namespace and a kind of its own for a file about writing; the kind ends with the file, since the server may be shared. */
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
    resource: of === '' ? plural : `${plural}.${of}`,
    path: (name, rest = '') => `${within(plural, of)}${name === undefined ? '' : `/${name}`}${rest}`,
    object: (name, values, metadata = {}) => ({
      apiVersion: of === '' ? 'v1' : `${of}/v1`,
      kind,
      metadata: { ...(name === undefined ? {} : { name }), ...metadata },
      ...(values === undefined ? {} : { [texts]: values }),
    }),
    invalid: (name, ...wrong) => invalid(kind, of, name, wrong),
    details: (name) => ({ name, ...(of === '' ? {} : { group: of }), kind: plural }),
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

/** A 422 for an object, with all that is wrong, whole. */
export function invalid(kind: string, group: string, name: string, wrong: readonly Wrong[]): Partial<HttpAnswer> {
  const texts = wrong.map(({ field, message }) => `${field}: ${message}`);
  const what = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  return refusal(422, 'Invalid', `${kind}${group === '' ? '' : `.${group}`} "${name}" is invalid: ${what}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind,
    causes: wrong.map(({ field, reason, message }) => ({ reason, message, field })),
  });
}

/** Status and body of an answer: what a refusal is compared with. */
export function answerOf({ status, body }: HttpAnswer): Partial<HttpAnswer> {
  return { status, body };
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

/** An entry of managedFields, masked. */
export function owns(manager: string, fieldsV1: unknown, more: Fields = {}): Fields {
  return { manager, operation: 'Update', apiVersion: 'v1', time: '<time>', fieldsType: 'FieldsV1', fieldsV1, ...more };
}

/** The managedFields of an object, masked. */
export function ownersOf(body: unknown): unknown {
  return masked((body as Body).metadata['managedFields']);
}

/** The warnings of an answer, without the code before them. */
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
