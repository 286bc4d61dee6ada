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
  /** Fields of spec.versions[0], which is v1. */
  version?: Fields;
  spec?: Fields;
}

/** A kind that a definition of the scene defines. */
export interface CustomKind {
  readonly definition: Definition;
  readonly group: string;
  readonly kind: string;
  /** Path of the collection in v1. */
  readonly path: string;
  /** An object named `a`, unless the fields set another name. */
  readonly object: (fields: Fields) => Fields;
  readonly create: (fields: Fields, query?: string) => Promise<HttpAnswer>;
  /** The causes for which a create would be rejected; empty if it would succeed. Nothing is stored. */
  readonly refusals: (fields: Fields) => Promise<string[]>;
}

interface DefinitionScene {
  /** A cluster-scoped definition with random names and the given schema; not sent yet. */
  readonly definition: (schema: Fields, options?: DefinitionOptions) => Definition;
  /** Creates a definition and waits until its kind is served. */
  readonly define: (schema: Fields, options?: DefinitionOptions) => Promise<CustomKind>;
  /** The causes for which a definition would be rejected; empty if it would be accepted. Nothing is stored. */
  readonly refusals: (definition: Definition) => Promise<string[]>;
  /** Updates the spec of an existing definition. */
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
 * The causes of a rejection, each as `reason field: message`, in alphabetical order, because kube-apiserver iterates
 * over maps in random order. Empty if the request succeeded.
 */
export function causes({ status, body }: HttpAnswer): string[] {
  if (status < 300) return [];
  const { details } = body as { details?: { causes?: { reason: string; field: string; message: string }[] } };
  if (status !== 422 || details?.causes === undefined) throw new Error(`no refusal of fields: ${JSON.stringify(body)}`);
  return details.causes.map(({ reason, field, message }) => `${reason} ${field}: ${message}`).sort();
}

/** An object schema with the given properties. */
export function object(properties: Fields, more: Fields = {}): Fields {
  return { type: 'object', properties, ...more };
}

/** The schema of an object with the given properties under `spec`. */
export function spec(properties: Fields, more: Fields = {}): Fields {
  return object({ spec: object(properties, more) });
}
