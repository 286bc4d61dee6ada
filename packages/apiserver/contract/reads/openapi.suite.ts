import { describe, expect, it } from 'vitest';
import { cluster, readCustomResources } from '../../../../test/harness/index.ts';

const { http } = await cluster();

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

interface Schema {
  description?: string;
  type?: string;
  properties?: Record<string, Schema>;
  allOf?: { $ref: string }[];
  [key: string]: unknown;
}

interface Operation {
  'x-kubernetes-action': string;
  'x-kubernetes-group-version-kind': object;
  parameters?: { name: string; in: string }[];
}

interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

async function index(): Promise<Record<string, { serverRelativeURL: string }>> {
  const { status, body } = await http('GET', '/openapi/v3');
  expect(status).toBe(200);
  return (body as { paths: Record<string, { serverRelativeURL: string }> }).paths;
}

async function document(path: string): Promise<OpenApiDocument> {
  const { status, body } = await http('GET', `/openapi/v3/${path}`);
  expect(status).toBe(200);
  return body as OpenApiDocument;
}

describe('the index of OpenAPI v3', () => {
  it('names a document of each group and version, by its hash', async () => {
    const paths = await index();
    for (const path of [
      'api/v1',
      'apis/apps/v1',
      'apis/bmc.kubevirt.io/v1beta1',
      'apis/network.harvesterhci.io/v1alpha1',
    ])
      expect(paths[path]?.serverRelativeURL).toMatch(new RegExp(`^/openapi/v3/${path}\\?hash=[0-9A-F]{128}$`));
  });
});

describe('a document of OpenAPI v3', () => {
  const path = 'apis/bmc.kubevirt.io/v1beta1';

  it('can be kept for ever by its hash', async () => {
    const url = (await index())[path]?.serverRelativeURL ?? '';
    const { status, headers, body } = await http('GET', url);
    const hash = url.split('=')[1] ?? '';
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'public, immutable',
      etag: `"${hash}"`,
      vary: 'Accept',
    });
    expect(Date.parse(String(headers['expires']))).toBeGreaterThan(Date.now() + 300 * 24 * 3600 * 1000);
    expect(body).toEqual(await document(path));
    const again = await http('GET', url, { headers: { 'if-none-match': `"${hash}"` } });
    expect({ status: again.status, body: again.body }).toEqual({ status: 304, body: undefined });
  });

  it('of a former hash is where the hash of today says', async () => {
    const url = (await index())[path]?.serverRelativeURL;
    const { status, headers } = await http('GET', `/openapi/v3/${path}?hash=ABC`);
    expect({ status, location: headers['location'] }).toEqual({ status: 301, location: url });
  });

  it('is not there for other groups, nor in other formats', async () => {
    expect((await http('GET', '/openapi/v3/apis/nonsense.io/v1')).status).toBe(404);
    expect((await http('GET', `/openapi/v3/${path}`, { accept: 'text/html' })).status).toBe(406);
  });

  it('has the paths of its resources, and what can be done there', async () => {
    const { openapi, paths } = await document(path);
    expect(openapi).toBe('3.0.0');
    const kind = { group: 'bmc.kubevirt.io', version: 'v1beta1', kind: 'VirtualMachineBMC' };
    const collection = `/${path}/namespaces/{namespace}/virtualmachinebmcs`;
    const action = (operation: Operation | undefined) => operation?.['x-kubernetes-action'];
    expect(action(paths[collection]?.['get'])).toBe('list');
    expect(action(paths[collection]?.['post'])).toBe('post');
    for (const method of ['get', 'put', 'patch', 'delete']) {
      const operation = paths[`${collection}/{name}`]?.[method];
      expect(action(operation)).toBe(method);
      expect(operation?.['x-kubernetes-group-version-kind']).toEqual(kind);
    }
    const parameters = paths[`${collection}/{name}`]?.['patch']?.parameters ?? [];
    expect(parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['dryRun', 'fieldManager', 'fieldValidation', 'force']),
    );
  });
});

/** As it is published: OpenAPI has no other word for "integer or string". */
function published(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && 'x-kubernetes-int-or-string' in value
      ? { ...value, anyOf: [{ type: 'integer' }, { type: 'string' }] }
      : value,
  ) as unknown;
}

describe('the schemas of OpenAPI v3', () => {
  const definitions = readCustomResources().flatMap((definition) => {
    const { group, names, versions } = definition.spec as unknown as {
      group: string;
      names: { kind: string };
      versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
    };
    return versions.map(({ name, schema }) => ({
      group,
      version: name,
      kind: names.kind,
      schema: schema.openAPIV3Schema,
    }));
  });

  it.each(definitions)('have our $kind as its definition has it', async ({ group, version, kind, schema }) => {
    const { components } = await document(`apis/${group}/${version}`);
    const name = [...group.split('.').reverse(), version, kind].join('.');
    const found = components.schemas[name];
    expect(found?.['x-kubernetes-group-version-kind']).toEqual([{ group, version, kind }]);
    expect(found?.description).toBe(schema.description);
    expect(Object.keys(found?.properties ?? {}).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec', 'status']);
    expect(found?.properties?.['metadata']?.allOf).toEqual([{ $ref: `#/components/schemas/${META}.ObjectMeta` }]);
    expect(found?.properties?.['apiVersion']?.description).toMatch(/^APIVersion defines the versioned schema /);
    expect(found?.properties?.['kind']?.description).toMatch(/^Kind is a string value representing the REST resource /);
    for (const part of ['spec', 'status'])
      expect(found?.properties?.[part]).toEqual(published(schema.properties?.[part]));
  });

  it.each([
    ['api/v1', 'io.k8s.api.core.v1', ['Pod', 'Service', 'Secret', 'ConfigMap', 'Event', 'Namespace', 'Node']],
    ['apis/apps/v1', 'io.k8s.api.apps.v1', ['Deployment', 'ReplicaSet']],
    ['apis/coordination.k8s.io/v1', 'io.k8s.api.coordination.v1', ['Lease']],
  ])('have the kinds of %s', async (path, prefix, kinds) => {
    const { components } = await document(path);
    const [, , version = 'v1'] = path.split('/');
    const group = path.startsWith('apis/') ? (path.split('/')[1] ?? '') : '';
    for (const kind of kinds) {
      const schema = components.schemas[`${prefix}.${kind}`];
      expect(schema?.['x-kubernetes-group-version-kind']).toEqual([{ group, version, kind }]);
      expect(schema?.description).toMatch(/\S/);
    }
  });

  it('hold all that they refer to', async () => {
    for (const path of ['api/v1', 'apis/apps/v1', 'apis/bmc.kubevirt.io/v1beta1']) {
      const { components } = await document(path);
      const references = JSON.stringify(components).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
      for (const [, name = ''] of references) expect(components.schemas).toHaveProperty([name]);
    }
  });

  it('tell what a field is for, and how lists are merged', async () => {
    const { schemas } = (await document('api/v1')).components;
    const containers = schemas['io.k8s.api.core.v1.PodSpec']?.properties?.['containers'];
    expect(containers).toMatchObject({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-patch-strategy': 'merge',
      'x-kubernetes-patch-merge-key': 'name',
    });
    expect(schemas['io.k8s.api.core.v1.Container']?.properties?.['image']?.description).toMatch(
      /^Container image name\./,
    );
  });
});
