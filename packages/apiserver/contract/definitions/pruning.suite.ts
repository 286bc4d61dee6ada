import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { definitionScene, object, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { define } = definitionScene(http);

const KNOWN = object({ known: { type: 'string' } });
const EMBEDDED = { type: 'object', 'x-kubernetes-embedded-resource': true };
const PRESERVED = { 'x-kubernetes-preserve-unknown-fields': true };

let kind: CustomKind;
beforeAll(async () => {
  kind = await define(
    spec({
      nested: KNOWN,
      list: { type: 'array', items: KNOWN },
      map: { type: 'object', additionalProperties: KNOWN },
      nothing: { type: 'object' },
      anything: PRESERVED,
      preserved: object({ known: { type: 'string' }, pruned: KNOWN }, PRESERVED),
      every: { type: 'object', additionalProperties: true },
      embedded: { ...EMBEDDED, properties: { spec: KNOWN } },
      embedded_preserved: { ...EMBEDDED, ...PRESERVED },
      alternatives: { ...KNOWN, anyOf: [{ required: ['known'] }, { properties: { known: {} } }] },
    }),
  );
});

const stored = async (fields: object, more: object = {}) => {
  const { status, body } = await kind.create({ ...more, spec: fields }, '?dryRun=All');
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as { spec: unknown; metadata: object };
};

describe('an unknown field', () => {
  const extra = { known: 'a', more: 'b' };
  const known = { known: 'a' };
  const pod = { apiVersion: 'v1', kind: 'Pod' };
  it.each<[string, object, object]>([
    ['is removed', extra, {}],
    ['is removed from an object', { nested: extra }, { nested: known }],
    ['is removed from list items', { list: [extra, { more: 1 }] }, { list: [known, {}] }],
    ['is removed from map values', { map: { x: extra } }, { map: { x: known } }],
    ['is removed from an object without properties', { nothing: extra }, { nothing: {} }],
    ['is removed although an alternative allows it', { alternatives: extra }, { alternatives: known }],
    ['is kept without a type', { anything: extra }, { anything: extra }],
    [
      'is kept by additionalProperties: true, but not deeper',
      { every: { a: extra, b: 1 } },
      { every: { a: {}, b: 1 } },
    ],
    [
      'is kept by preserve-unknown-fields, but not in known objects',
      { preserved: { ...extra, deep: extra, pruned: extra } },
      { preserved: { ...extra, deep: extra, pruned: known } },
    ],
    [
      'is removed from an embedded object, but not its metadata',
      { embedded: { ...pod, metadata: { name: 'x', labels: { a: 'b' } }, spec: extra, other: 1 } },
      { embedded: { ...pod, metadata: { name: 'x', labels: { a: 'b' } }, spec: known } },
    ],
    [
      'is kept in an embedded object with preserve-unknown-fields',
      { embedded_preserved: { ...pod, metadata: { name: 'x' }, spec: extra } },
      { embedded_preserved: { ...pod, metadata: { name: 'x' }, spec: extra } },
    ],
  ])('%s', async (_what, fields, expected) => {
    expect((await stored(fields)).spec).toEqual(expected);
  });

  it('is removed from the object and its metadata', async () => {
    const made = await stored({}, { more: 1, status: { a: 1 }, metadata: { name: 'a', more: 1, labels: { a: 'b' } } });
    expect(Object.keys(made).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
    expect(made.metadata).toMatchObject({ name: 'a', labels: { a: 'b' } });
    expect(made.metadata).not.toHaveProperty('more');
  });

  it('is named in warnings and refusals by its path', async () => {
    const embedded = { ...pod, x: 1 };
    const body = { spec: { more: 1, nested: { more: 1 }, list: [{ more: 1 }], embedded } };
    const paths = ['embedded.x', 'list[0].more', 'more', 'nested.more'];
    const pathsIn = (text: string) =>
      [...text.matchAll(/unknown field "spec\.([^"]+)"/g)].map(([, path]) => path).sort();
    const strict = await kind.create(body, '?dryRun=All&fieldValidation=Strict');
    expect(strict.status).toBe(400);
    expect(pathsIn((strict.body as { message: string }).message)).toEqual(paths);
    const warned = await kind.create(body, '?dryRun=All');
    expect(pathsIn([warned.headers['warning']].flat().join().replaceAll('\\"', '"'))).toEqual(paths);
  });
});
