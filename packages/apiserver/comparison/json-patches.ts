import fc from 'fast-check';
import { record, word } from './arbitraries.ts';
import type { PlayedKind } from './kinds.ts';

const PATHS: Record<PlayedKind['name'], readonly string[]> = {
  ConfigMap: ['/data', '/data/a', '/data/b', '/binaryData'],
  Secret: ['/data', '/data/a', '/stringData', '/type'],
  Deployment: [
    '/spec/replicas',
    '/spec/template/spec/containers/0',
    '/spec/template/spec/containers/0/image',
    '/spec/paused',
    '/status',
  ],
  Service: ['/spec/selector', '/spec/selector/a', '/spec/ports/0/port', '/spec/ports/-', '/spec/type', '/status'],
  Pod: ['/spec/containers/0/image', '/spec/activeDeadlineSeconds', '/status/phase'],
  Widget: [
    '/spec',
    '/spec/size',
    '/spec/tags/-',
    '/spec/tags/0',
    '/spec/ports/0/number',
    '/spec/free/a',
    '/spec/note',
    '/status',
  ],
};
const COMMON_PATHS = [
  '/metadata/labels',
  '/metadata/labels/a',
  '/metadata/annotations/b',
  '/metadata/finalizers',
  '/nowhere/at/all',
  '/metadata/name',
];

/** A JSON Patch document of a few operations (RFC 6902). */
export function jsonPatches(kind: PlayedKind['name']): fc.Arbitrary<unknown[]> {
  const path = fc.constantFrom(...PATHS[kind], ...PATHS[kind], ...COMMON_PATHS);
  // A container elsewhere does not fit, and the refusal shows its fields in an order that is hard to foretell.
  const from = path.filter((place) => !place.endsWith('/containers/0'));
  const value = fc.oneof(word, fc.constantFrom<unknown>(1, 5, null, true, {}, [], { a: 'x' }, ['a']));
  const operation = fc.oneof(
    record({ op: fc.constantFrom('add', 'replace', 'test'), path, value }),
    record({ op: fc.constant('remove'), path }),
    record({ op: fc.constantFrom('move', 'copy'), from, path }),
  );
  return fc.array(operation, { minLength: 1, maxLength: 3 });
}

/** An object of which parts are taken away: `null` in place of some values. */
export function withNulls(object: fc.Arbitrary<Record<string, unknown>>): fc.Arbitrary<Record<string, unknown>> {
  return fc.tuple(object, fc.array(fc.nat(5), { maxLength: 2 })).map(([value, indexes]) => {
    const copy = structuredClone(value);
    for (const index of indexes) nullAt(copy, index);
    return copy;
  });
}

function nullAt(object: Record<string, unknown>, index: number): void {
  const entries = Object.entries(object);
  const [name, value] = entries[index % Math.max(1, entries.length)] ?? [];
  if (name === undefined) return;
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && index % 2 === 0)
    nullAt(value as Record<string, unknown>, index + 1); // a plain object of JSON
  else object[name] = null;
}
