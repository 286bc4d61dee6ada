import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { definitionScene, object, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { define } = definitionScene(http);

const STRING = { type: 'string' };
const EMBEDDED = { type: 'object', 'x-kubernetes-embedded-resource': true };

let kind: CustomKind;
beforeAll(async () => {
  kind = await define(
    spec({
      known: STRING,
      nested: object({ known: STRING }),
      list: { type: 'array', items: object({ known: STRING }) },
      map: { type: 'object', additionalProperties: object({ known: STRING }) },
      nothing: { type: 'object' },
      anything: { 'x-kubernetes-preserve-unknown-fields': true },
      preserved: object(
        { known: STRING, pruned: object({ known: STRING }) },
        { 'x-kubernetes-preserve-unknown-fields': true },
      ),
      every: { type: 'object', additionalProperties: true },
      embedded: { ...EMBEDDED, properties: { spec: object({ known: STRING }) } },
      embedded_preserved: { ...EMBEDDED, 'x-kubernetes-preserve-unknown-fields': true },
      alternatives: object({ known: STRING }, { anyOf: [{ required: ['known'] }, { properties: { known: {} } }] }),
    }),
  );
});

async function stored(fields: object, more: object = {}): Promise<{ spec: unknown; metadata: object }> {
  const { status, body } = await kind.create({ ...more, spec: fields }, '?dryRun=All');
  expect({ status, body }).toMatchObject({ status: 201 });
  return body as { spec: unknown; metadata: object };
}

describe('a field that the schema does not know', () => {
  const extra = { known: 'a', more: 'b' };
  it.each<[string, object, object]>([
    ['is dropped', extra, { known: 'a' }],
    ['is dropped deeper', { nested: extra }, { nested: { known: 'a' } }],
    ['is dropped from the items of a list', { list: [extra, { more: 1 }] }, { list: [{ known: 'a' }, {}] }],
    ['is dropped from the values of a map', { map: { x: extra } }, { map: { x: { known: 'a' } } }],
    ['is dropped from an object without any', { nothing: extra }, { nothing: {} }],
    ['is dropped though an alternative speaks of it', { alternatives: extra }, { alternatives: { known: 'a' } }],
    ['is kept where anything goes', { anything: extra }, { anything: extra }],
    [
      'is kept where additional properties are true, but not deeper',
      { every: { a: extra, b: 1 } },
      { every: { a: {}, b: 1 } },
    ],
    [
      'is kept where it is preserved, but not where known fields begin again',
      { preserved: { ...extra, deep: extra, pruned: extra } },
      { preserved: { ...extra, deep: extra, pruned: { known: 'a' } } },
    ],
  ])('%s', async (_, fields, expected) => {
    expect((await stored(fields)).spec).toEqual(expected);
  });

  it('is dropped beside spec, too, and from the annotation of kubectl', async () => {
    const made = await stored({}, { more: 1, status: { a: 1 } });
    expect(Object.keys(made).sort()).toEqual(['apiVersion', 'kind', 'metadata', 'spec']);
  });

  it('is dropped from metadata, whatever the schema says', async () => {
    const { metadata } = await stored({}, { metadata: { name: 'a', more: 1, labels: { any: 'label' } } });
    expect(metadata).toMatchObject({ name: 'a', labels: { any: 'label' } });
    expect(metadata).not.toHaveProperty('more');
  });
});

describe('an embedded object', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod' };

  it('keeps apiVersion, kind and what is metadata', async () => {
    const embedded = {
      ...pod,
      metadata: { name: 'x', labels: { a: 'b' } },
      spec: { known: 'a', more: 1 },
      other: 1,
    };
    const { spec: made } = await stored({ embedded });
    expect(made).toEqual({
      embedded: { ...pod, metadata: { name: 'x', labels: { a: 'b' } }, spec: { known: 'a' } },
    });
  });

  it('keeps everything else where unknown fields are preserved', async () => {
    const embedded = { ...pod, metadata: { name: 'x' }, spec: { a: [{ b: 1 }] } };
    const { spec: made } = await stored({ embedded_preserved: embedded });
    expect(made).toEqual({ embedded_preserved: embedded });
  });
});

describe('fieldValidation', () => {
  const fields = { more: 1, nested: { more: 1 }, list: [{ more: 1 }], embedded: { apiVersion: 'v1', kind: 'Pod', x: 1 } }; // prettier-ignore
  const paths = ['spec.embedded.x', 'spec.list[0].more', 'spec.more', 'spec.nested.more'];

  it('Strict refuses unknown fields by their paths', async () => {
    const { status, body } = await kind.create({ spec: fields }, '?dryRun=All&fieldValidation=Strict');
    expect({ status, body }).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    const { message } = body as { message: string };
    expect(unknownIn(message)).toEqual(paths);
  });

  it('Warn drops them with warnings, Ignore without warnings', async () => {
    const warned = await kind.create({ spec: fields }, '?dryRun=All&fieldValidation=Warn');
    expect(warned.status).toBe(201);
    expect(unknownIn([warned.headers['warning']].flat().join(', ').replaceAll('\\"', '"'))).toEqual(paths);
    const ignored = await kind.create({ spec: fields }, '?dryRun=All&fieldValidation=Ignore');
    expect(ignored.status).toBe(201);
    expect(ignored.headers).not.toHaveProperty('warning');
  });

  const unknownIn = (text: string): string[] =>
    [...text.matchAll(/unknown field "([^"]+)"/g)].map(([, path]) => path ?? '').sort();
});
