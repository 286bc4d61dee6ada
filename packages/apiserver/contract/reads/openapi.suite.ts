import { describe, expect, it } from 'vitest';
import { cluster, readCustomResources } from '../../../../test/harness/index.ts';

const { http } = await cluster();

const PATH = 'apis/bmc.kubevirt.io/v1beta1';

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  [key: string]: unknown;
}

interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, { 'x-kubernetes-action': string; parameters?: { name: string }[] }>>;
  components: { schemas: Record<string, Schema> };
}

const get = async (path: string): Promise<unknown> => {
  const { status, body } = await http('GET', `/openapi/v3${path}`);
  expect(status).toBe(200);
  return body;
};
const urlOf = async (path: string): Promise<string> =>
  ((await get('')) as { paths: Record<string, { serverRelativeURL: string }> }).paths[path]?.serverRelativeURL ?? '';
const document = async (path: string): Promise<OpenApiDocument> => (await get(`/${path}`)) as OpenApiDocument;

describe('OpenAPI v3', () => {
  it.each(['api/v1', 'apis/apps/v1', PATH])('has a document of %s, which is complete', async (path) => {
    expect(await urlOf(path)).toMatch(new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]{128}$`));
    const { schemas } = (await document(path)).components;
    const references = JSON.stringify(schemas).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
    for (const [, name = ''] of references) expect(schemas).toHaveProperty([name]);
  });

  it('allows clients to cache a document by its hash', async () => {
    const url = await urlOf(PATH);
    const [, hash = ''] = url.split('=');
    const { status, headers } = await http('GET', url);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ etag: `"${hash}"`, vary: 'Accept' });
    const again = await http('GET', url, { headers: { 'if-none-match': `"${hash}"` } });
    expect([again.status, again.body]).toEqual([304, undefined]);
  });

  it('has no documents of unknown groups', async () => {
    expect((await http('GET', '/openapi/v3/apis/nonsense.io/v1')).status).toBe(404);
  });

  it('has the operations of custom resources', async () => {
    const { openapi, paths } = await document(PATH);
    expect(openapi).toBe('3.0.0');
    const collection = `/${PATH}/namespaces/{namespace}/virtualmachinebmcs`;
    const actions = (path: string, methods: string[]) =>
      methods.map((method) => paths[path]?.[method]?.['x-kubernetes-action']);
    expect(actions(collection, ['get', 'post'])).toEqual(['list', 'post']);
    const methods = ['get', 'put', 'patch', 'delete'];
    expect(actions(`${collection}/{name}`, methods)).toEqual(methods);
    const parameters = paths[`${collection}/{name}`]?.['patch']?.parameters?.map(({ name }) => name);
    expect(parameters).toEqual(expect.arrayContaining(['dryRun', 'fieldManager', 'fieldValidation', 'force']));
  });

  const definitions = readCustomResources().flatMap(({ spec }) => {
    const { group, names, versions } = spec as unknown as {
      group: string;
      names: { kind: string };
      versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
    };
    return versions.map(({ name: version, schema }) => ({ group, version, kind: names.kind, schema }));
  });
  /** OpenAPI describes x-kubernetes-int-or-string by anyOf. */
  const published = (schema: unknown): unknown =>
    JSON.parse(JSON.stringify(schema), (_key, value: unknown) =>
      typeof value === 'object' && value !== null && 'x-kubernetes-int-or-string' in value
        ? { ...value, anyOf: [{ type: 'integer' }, { type: 'string' }] }
        : value,
    );

  it.each(definitions)('has the schema of our $kind', async ({ group, version, kind, schema }) => {
    const { components } = await document(`apis/${group}/${version}`);
    const found = components.schemas[[...group.split('.').reverse(), version, kind].join('.')];
    const { description, properties } = schema.openAPIV3Schema;
    expect(found).toMatchObject({ description, 'x-kubernetes-group-version-kind': [{ group, version, kind }] });
    expect(Object.keys(found?.properties ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
    expect(found?.properties?.['metadata']?.['allOf']).toEqual([
      { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    ]);
    for (const part of ['spec', 'status']) expect(found?.properties?.[part]).toEqual(published(properties?.[part]));
  });

  it.each([
    ['api/v1', 'io.k8s.api.core.v1.Pod', { group: '', version: 'v1', kind: 'Pod' }],
    ['api/v1', 'io.k8s.api.core.v1.Event', { group: '', version: 'v1', kind: 'Event' }],
    ['apis/apps/v1', 'io.k8s.api.apps.v1.Deployment', { group: 'apps', version: 'v1', kind: 'Deployment' }],
  ])('of %s has the schema of %s', async (path, name, type) => {
    const { schemas } = (await document(path)).components;
    expect(schemas[name]).toMatchObject({ 'x-kubernetes-group-version-kind': [type] });
    expect(schemas[name]?.description).toMatch(/\S/);
  });

  it('has descriptions of fields, and how lists are merged', async () => {
    const { schemas } = (await document('api/v1')).components;
    expect(schemas['io.k8s.api.core.v1.PodSpec']?.properties?.['containers']).toMatchObject({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    });
    const image = schemas['io.k8s.api.core.v1.Container']?.properties?.['image'];
    expect(image?.description).toMatch(/^Container image name\./);
  });
});
