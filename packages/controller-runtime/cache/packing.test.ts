import { expect, it } from 'vitest';
import type { KubeObject } from '../objects.ts';
import { Packing } from './packing.ts';

interface Thing extends KubeObject {
  spec: Record<string, unknown>;
}

const thing = (name: string, spec: Record<string, unknown> = {}, namespace = 'vms'): Thing => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: {
    name,
    namespace,
    uid: `97302042-1d79-4dc5-b4d1-${name
      .padEnd(12, '0')
      .slice(0, 12)
      .replaceAll(/[^0-9a-f]/g, 'e')}`,
    resourceVersion: String(name.length * 1000),
    generation: name.length,
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { vm: name },
  },
  spec: {
    args: ['--bmc', name, `--secret=${name}-tls`],
    mac: '02:00:00:00:00:05',
    address: '10.0.0.7',
    digest: 'deadbeef00112233',
    ...spec,
  },
});

it.each([
  ['an ordinary one', thing('web')],
  ['one whose name is in its other values', thing('2026')],
  ['one with a name of one letter', thing('a')],
  ['one whose name is a part of its namespace', thing('vms', {}, 'vms-of-vms')],
  ['one with quotes, line ends and control characters', thing('web', { text: 'a "b"\n\u0001\u0002\u0000 \\ web' })],
  ['one with other scripts', thing('web', { text: 'Störung 故障 🙂 web' })],
  ['one with empty, null and nested values', thing('web', { none: null, empty: {}, list: [[], [''], 0, -1.5, true] })],
])('gives back %s', (_, object) => {
  const packing = new Packing<Thing>(({ spec }) => Object.values(spec).filter((each) => typeof each === 'string'));
  const before = structuredClone(object);
  expect(packing.unpack(packing.pack(object))).toEqual(before);
});

it('stores what objects have in common once, as long as one of them is there', () => {
  const packing = new Packing<Thing>(() => []);
  const packed = ['web', 'database', 'mail'].map((name) => packing.pack(thing(name)));
  const templates = new Set(packed.map(({ template }) => template));
  expect(templates.size).toBe(1);
  const other = packing.pack(thing('web', { more: true }));
  expect(other.template).not.toBe(packed[0]?.template);
  for (const each of packed) packing.release(each);
  expect(packing.pack(thing('next')).template).not.toBe(packed[0]?.template);
  expect(packing.unpack(other)).toEqual(thing('web', { more: true }));
});
