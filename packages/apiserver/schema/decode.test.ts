import { beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { BuiltinSchemas } from './builtin-schemas.ts';
import { decode, decodeMetadata, zeroValue } from './decode.ts';

let schemas: BuiltinSchemas;
beforeAll(async () => {
  schemas = await BuiltinSchemas.load();
});

const decoded = (kind: string, object: JsonObject) => {
  const unknown = decode(object, schemas.get(`io.k8s.api.${kind}`));
  return { object, unknown };
};

describe('decoding an object of a built-in kind', () => {
  it('drops nulls and unknown fields, and returns the paths of unknown fields', () => {
    const sent = { spec: { nodeName: null, contaners: [], containers: [{ name: 'c', imago: 'i' }] } };
    expect(decoded('core.v1.Pod', sent)).toEqual({
      object: { metadata: {}, spec: { containers: [{ name: 'c' }] }, status: {} },
      unknown: ['spec.contaners', 'spec.containers[0].imago'],
    });
  });

  it('sets defaults other than zero values', () => {
    const sent = { spec: { containers: [{ name: 'c', ports: [{ containerPort: 1 }] }] } };
    expect(decoded('core.v1.Pod', sent).object).toMatchObject({
      spec: { containers: [{ name: 'c', ports: [{ containerPort: 1, protocol: 'TCP' }] }] },
    });
  });

  it('reads numbers as quantities, and nulls in lists and maps as zero values', () => {
    const sent = { spec: { containers: [{ name: 'c', args: [null], resources: { limits: { cpu: 1 } } }] } };
    expect(decoded('core.v1.Pod', sent).object['spec']).toEqual({
      containers: [{ name: 'c', args: [''], resources: { limits: { cpu: '1' } } }],
    });
    expect(decoded('core.v1.ConfigMap', { data: { a: null } }).object['data']).toEqual({ a: '' });
  });

  it.each<[string, JsonObject, string]>([
    ['core.v1.ConfigMap', { data: { a: 1 } }, 'data.a: must be a string, not 1'],
    ['core.v1.ConfigMap', { binaryData: { a: '?' } }, 'binaryData.a: must be base64'],
    ['core.v1.Pod', { spec: { containers: {} } }, 'spec.containers: must be a list, not {}'],
    ['apps.v1.Deployment', { spec: { replicas: 1.5 } }, 'spec.replicas: must be an integer, not 1.5'],
    ['core.v1.Event', { lastTimestamp: 'today' }, 'lastTimestamp: must be an RFC 3339 time'],
  ])('refuses %s %j', (kind, object, message) => {
    expect(() => decoded(kind, object)).toThrow(message);
  });

  it('removes empty metadata that Go clients send', () => {
    const metadata: JsonObject = { name: 'x', uid: '', labels: {}, finalizers: [], creationTimestamp: null };
    decodeMetadata(metadata, schemas.get('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta'));
    expect(metadata).toEqual({ name: 'x' });
  });
});

it('the zero value of a kind has its structs', () => {
  expect(zeroValue(schemas.get('io.k8s.api.apps.v1.Deployment'))).toMatchObject({
    metadata: {},
    spec: { template: { metadata: {} } },
    status: {},
  });
});
