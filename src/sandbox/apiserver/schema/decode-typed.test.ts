import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { BuiltinSchemas } from './builtin-schemas.ts';
import { decodeTyped, fillZeroValue } from './decode-typed.ts';

const schemas = await BuiltinSchemas.load();
const pod = schemas.get('io.k8s.api.core.v1.Pod');
const decode = (object: JsonObject) => ({ unknown: decodeTyped(object, pod, { kind: 'Pod', version: 'v1' }), object });

describe('decoding a built-in kind', () => {
  it('drops unknown fields, nulls and empty collections, and says what it did not know', () => {
    const { unknown, object } = decode({
      metadata: { name: 'x', labels: {}, foo: 1 },
      spec: { containers: [{ name: 'c', env: [], image: null, bar: 1 }] },
    });
    expect(unknown).toEqual(['metadata.foo', 'spec.containers[0].bar']);
    expect(object).toEqual({
      metadata: { name: 'x' },
      spec: { containers: [{ name: 'c', resources: {} }] },
      status: {},
    });
  });

  it('takes over the defaults of the schema', () => {
    const { object } = decode({ metadata: {}, spec: { containers: [{ name: 'c', ports: [{ containerPort: 1 }] }] } });
    expect(object['spec']).toMatchObject({ containers: [{ ports: [{ containerPort: 1, protocol: 'TCP' }] }] });
  });

  it.each<[JsonObject, string]>([
    [
      { spec: { containers: [{ name: 5 }] } },
      'json: cannot unmarshal number into Go struct field Pod.spec.containers.name of type string',
    ],
    [
      { metadata: { labels: { a: 5 } } },
      'json: cannot unmarshal number into Go struct field Pod.metadata.labels of type string',
    ],
    [
      { spec: { hostNetwork: 'yes' } },
      'json: cannot unmarshal string into Go struct field Pod.spec.hostNetwork of type bool',
    ],
  ])('refuses %j', (object, message) => {
    expect(() => decode(object)).toThrow(
      expect.objectContaining({
        code: 400,
        message: `Pod in version "v1" cannot be handled as a Pod: ${message}`,
      }) as Error,
    );
  });

  it('refuses what is not base64', () => {
    const secret = schemas.get('io.k8s.api.core.v1.Secret');
    expect(() => decodeTyped({ data: { a: '%%' } }, secret, { kind: 'Secret', version: 'v1' })).toThrow(
      'illegal base64 data at input byte 0',
    );
  });

  it('knows what an empty Go value looks like', () => {
    const object = {};
    fillZeroValue(object, schemas.get('io.k8s.api.apps.v1.Deployment'));
    expect(object).toMatchObject({
      metadata: {},
      spec: { strategy: {}, template: { spec: { containers: null } } },
      status: {},
    });
  });
});
