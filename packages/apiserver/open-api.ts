import { createHash } from 'node:crypto';
import { isObject, objectOr, type JsonObject, type Json } from './json.ts';
import { apiVersionOf, type Registry, type Resource, BUILTIN_KINDS } from './resources/index.ts';
import type { BuiltinSchemas } from './schema/index.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

export interface OpenApiDocument {
  /** JSON. */
  readonly text: string;
  /** SHA-512 of the text, in hexadecimal. */
  readonly hash: string;
}

/** The OpenAPI v3 documents, one per group and version: for `kubectl explain`, `edit` and `apply`. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #schemas: BuiltinSchemas;
  readonly #documents = new Map<string, OpenApiDocument & { version: number }>();

  constructor(registry: Registry, schemas: BuiltinSchemas) {
    this.#registry = registry;
    this.#schemas = schemas;
  }

  /** GET /openapi/v3. */
  index(): unknown {
    const paths: Record<string, { serverRelativeURL: string }> = {};
    for (const path of new Set(this.#registry.all().map(pathOf))) {
      const hash = this.document(path)?.hash ?? '';
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
    }
    return { paths };
  }

  /** One document, by its path below /openapi/v3/; undefined if no resource has this path. */
  document(path: string): OpenApiDocument | undefined {
    const { version } = this.#registry;
    const known = this.#documents.get(path);
    if (known?.version === version) return known;
    const resources = this.#registry.all().filter((resource) => pathOf(resource) === path);
    if (resources.length === 0) return undefined;
    const text = JSON.stringify(this.#make(resources));
    const document = { version, text, hash: createHash('sha512').update(text).digest('hex').toUpperCase() };
    this.#documents.set(path, document);
    return document;
  }

  #make(resources: Resource[]): JsonObject {
    const schemas: JsonObject = {};
    const paths: JsonObject = {};
    for (const resource of resources) {
      this.#addSchema(schemas, resource);
      Object.assign(paths, pathsOf(resource));
    }
    return { openapi: '3.0.0', info: { title: 'Kubernetes', version: 'v1.34.0' }, paths, components: { schemas } };
  }

  #addSchema(schemas: JsonObject, resource: Resource): void {
    if (!resource.custom) {
      const kind = BUILTIN_KINDS.find(({ group, plural }) => group === resource.group && plural === resource.plural);
      if (kind !== undefined) this.#addPublished(schemas, kind.schema);
      return;
    }
    this.#addPublished(schemas, `${META}.ObjectMeta`);
    const { group, version, kind, schema } = resource;
    // A schema is JSON.
    const own = objectOr(publishedSchema(schema as unknown as JsonObject));
    const properties = isObject(own['properties']) ? own['properties'] : {};
    const metadata = {
      description:
        "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
      allOf: [{ $ref: `#/components/schemas/${META}.ObjectMeta` }],
    };
    const described = {
      apiVersion: {
        type: 'string',
        description:
          'APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources',
      },
      kind: {
        type: 'string',
        description:
          'Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds',
      },
    };
    schemas[nameOf(resource)] = {
      ...own,
      properties: { ...properties, ...described, metadata },
      'x-kubernetes-group-version-kind': [{ group, version, kind }],
    };
  }

  #addPublished(schemas: JsonObject, name: string): void {
    if (schemas[name] !== undefined) return;
    const schema = this.#schemas.published[name];
    if (schema === undefined) return;
    schemas[name] = schema as unknown as JsonObject; // a schema is JSON
    for (const match of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      this.#addPublished(schemas, match[1] ?? '');
  }
}

function pathOf(resource: Resource): string {
  return resource.group === '' ? `api/${resource.version}` : `apis/${apiVersionOf(resource)}`;
}

/** `io.kubevirt.bmc.v1beta1.VirtualMachineBMC`: the group's parts in reverse, as kube-apiserver names them. */
function nameOf({ group, version, kind }: Resource): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

/** kubectl finds kinds by their paths, and checks that PATCH has the parameter `fieldValidation`. */
function pathsOf(resource: Resource): JsonObject {
  const { group, version, kind, namespaced, plural } = resource;
  const root = `/${pathOf(resource)}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}`;
  const action = (name: string, ...parameters: string[]): JsonObject => ({
    'x-kubernetes-action': name,
    'x-kubernetes-group-version-kind': { group, version, kind },
    parameters: parameters.map((parameter) => ({
      name: parameter,
      in: 'query',
      schema: { type: 'string', uniqueItems: true },
    })),
    responses: { 200: { description: 'OK' } },
  });
  const write = ['dryRun', 'fieldManager', 'fieldValidation'];
  return {
    [root]: {
      get: action('list', 'labelSelector', 'fieldSelector', 'limit', 'continue', 'watch'),
      post: action('post', ...write),
    },
    [`${root}/{name}`]: {
      get: action('get'),
      put: action('put', ...write),
      patch: action('patch', ...write, 'force'),
      delete: action('delete', 'dryRun'),
    },
  };
}

/** A CustomResourceDefinition's schema for OpenAPI clients: `x-kubernetes-int-or-string` becomes `anyOf`. */
export function publishedSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(publishedSchema);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, Json] => [
    key,
    // The values of these keywords are data, not schemas.
    key === 'default' || key === 'example' || key === 'enum' ? (value ?? null) : publishedSchema(value ?? null),
  ]);
  const copy = Object.fromEntries(entries);
  if (schema['x-kubernetes-int-or-string'] !== true || schema['anyOf'] !== undefined) return copy;
  return { ...copy, anyOf: [{ type: 'integer' }, { type: 'string' }] };
}
