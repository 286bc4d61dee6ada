import { randomBytes } from 'node:crypto';
import { afterAll, expect } from 'vitest';
import { eventually, type Http, type HttpAnswer } from '../index.ts';

export const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const MERGE = 'application/merge-patch+json';

type Fields = Record<string, unknown>;

export interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: Fields & {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
  };
}

interface DefinitionOptions {
  /** Of spec.versions[0], which is v1. */
  version?: Fields;
  spec?: Fields;
}

/** A kind that a definition of the scene has made. */
export interface CustomKind {
  readonly definition: Definition;
  readonly group: string;
  readonly kind: string;
  /** Of the collection, in v1. */
  readonly path: string;
  /** An object named `a`, unless the fields say otherwise. */
  readonly object: (fields: Fields) => Fields;
  readonly create: (fields: Fields, query?: string) => Promise<HttpAnswer>;
  /** The causes for which an object would not be created; empty where it would. Nothing is stored. */
  readonly refusals: (fields: Fields) => Promise<string[]>;
}

interface DefinitionScene {
  /** A cluster-scoped definition with random names and the schema given, which is not sent yet. */
  readonly definition: (schema: Fields, options?: DefinitionOptions) => Definition;
  /** Sends a definition, and waits until its kind is served. */
  readonly define: (schema: Fields, options?: DefinitionOptions) => Promise<CustomKind>;
  /** The causes for which a definition would not be created; empty where it would. Nothing is stored. */
  readonly refusals: (definition: Definition) => Promise<string[]>;
  /** Sends another spec for a definition that exists. */
  readonly change: (definition: Definition, spec: Fields) => Promise<HttpAnswer>;
  readonly read: (definition: Definition) => Promise<HttpAnswer>;
}

/** CustomResourceDefinitions that are deleted after the test file. */
export function definitionScene(http: Http): DefinitionScene {
  const sent: Definition[] = [];
  afterAll(async () => {
    await Promise.all(sent.map(({ metadata }) => http('DELETE', `${DEFINITIONS}/${metadata.name}`)));
  });
  const definition: DefinitionScene['definition'] = (schema, { version = {}, spec = {} } = {}) => {
    const name = `x${randomBytes(5).toString('hex')}`;
    const group = `${name}.test.io`;
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }];
    const names = {
      plural: `${name}s`,
      singular: name,
      kind: name.toUpperCase(),
      listKind: `${name.toUpperCase()}List`,
    };
    return {
      metadata: { name: `${name}s.${group}` },
      spec: { group, scope: 'Cluster', names, versions, ...spec },
    };
  };
  const read: DefinitionScene['read'] = ({ metadata }) => http('GET', `${DEFINITIONS}/${metadata.name}`);
  const define: DefinitionScene['define'] = async (schema, options) => {
    const made = definition(schema, options);
    sent.push(made);
    expect(causes(await http('POST', DEFINITIONS, { body: made }))).toEqual([]);
    const kind = customKind(http, made);
    await eventually(async () => {
      expect((await http('GET', kind.path)).status).toBe(200);
    });
    return kind;
  };
  return {
    definition,
    define,
    refusals: async (body) => causes(await http('POST', `${DEFINITIONS}?dryRun=All`, { body })),
    change: ({ metadata }, spec) =>
      http('PATCH', `${DEFINITIONS}/${metadata.name}`, { body: { spec }, contentType: MERGE }),
    read,
  };
}

function customKind(http: Http, definition: Definition): CustomKind {
  const { group, names } = definition.spec;
  const path = `/apis/${group}/v1/${names.plural}`;
  const object = (fields: Fields): Fields => ({
    apiVersion: `${group}/v1`,
    kind: names.kind,
    metadata: { name: 'a' },
    ...fields,
  });
  const create = (fields: Fields, query = ''): Promise<HttpAnswer> =>
    http('POST', path + query, { body: object(fields) });
  return {
    definition,
    group,
    kind: names.kind,
    path,
    object,
    create,
    refusals: async (fields) => causes(await create(fields, '?dryRun=All')),
  };
}

/**
 * The causes of a refusal, each as `reason field: message`, in alphabetical order: kube-apiserver goes through maps in random
 * order. Empty where the request succeeded.
 */
export function causes({ status, body }: HttpAnswer): string[] {
  if (status < 300) return [];
  const { details } = body as { details?: { causes?: { reason: string; field: string; message: string }[] } };
  if (status !== 422 || details?.causes === undefined) throw new Error(`no refusal of fields: ${JSON.stringify(body)}`);
  return details.causes.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort();
}

/** The schema of an object with the properties given. */
export function object(properties: Fields, more: Fields = {}): Fields {
  return { type: 'object', properties, ...more };
}

/** The schema of objects with the properties given under `spec`. */
export function spec(properties: Fields, more: Fields = {}): Fields {
  return object({ spec: object(properties, more) });
}
