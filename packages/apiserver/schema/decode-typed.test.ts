import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../json.ts';
import { BuiltinSchemas } from './builtin-schemas.ts';
import { decodeTyped, zeroValue } from './decode-typed.ts';

const schemas = await BuiltinSchemas.load();
const pod = schemas.get('io.k8s.api.core.v1.Pod');
const decode = (object: JsonObject) => ({ complaints: decodeTyped(object, pod, 'Pod'), object });

describe('decoding a built-in kind', () => {
  it('drops unknown fields, nulls and empty collections, and says what it did not know', () => {
    const { complaints, object } = decode({
      metadata: { name: 'x', labels: {}, foo: 1 },
      spec: { containers: [{ name: 'c', env: [], image: null, bar: 1 }] },
    });
    expect(complaints).toEqual(['unknown field "metadata.foo"', 'unknown field "spec.containers[0].bar"']);
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
      'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    ],
    [
      { metadata: { labels: { a: 5 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [
      { spec: { hostNetwork: 'yes' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
  ])('refuses %j', (object, message) => {
    expect(() => decode(object)).toThrow(expect.objectContaining({ code: 400, message }) as Error);
  });

  it('refuses what is not base64', () => {
    const secret = schemas.get('io.k8s.api.core.v1.Secret');
    expect(() => decodeTyped({ data: { a: '%%' } }, secret, 'Secret')).toThrow('illegal base64 data at input byte 0');
  });

  it('knows what an empty Go value looks like', () => {
    expect(zeroValue(schemas.get('io.k8s.api.apps.v1.Deployment'))).toMatchObject({
      metadata: {},
      spec: { strategy: {}, template: { spec: { containers: null } } },
      status: {},
    });
  });
});
