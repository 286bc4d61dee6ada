import { describe, expect, it } from 'vitest';
import { ProtobufDecoder } from './protobuf-decoder.ts';

const decoder = await ProtobufDecoder.load();

const varint = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]);
const bytes = (field: number, value: string | number[]): number[] => {
  const content = typeof value === 'string' ? [...Buffer.from(value)] : value;
  return [...varint((field << 3) | 2), ...varint(content.length), ...content];
};
const integer = (field: number, value: number): number[] => [...varint(field << 3), ...varint(value)];
const body = (apiVersion: string, kind: string, message: number[]): Buffer =>
  Buffer.from([0x6b, 0x38, 0x73, 0, ...bytes(1, [...bytes(1, apiVersion), ...bytes(2, kind)]), ...bytes(2, message)]);

describe('a protobuf body', () => {
  it('of a Secret is decoded to JSON', () => {
    const metadata = [...bytes(1, 'creds'), ...bytes(8, [])];
    const data = bytes(2, [...bytes(1, 'key'), ...bytes(2, [1, 2, 255])]);
    expect(decoder.decode(body('v1', 'Secret', [...bytes(1, metadata), ...data, ...bytes(3, 'Opaque')]))).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'creds' },
      data: { key: 'AQL/' },
      type: 'Opaque',
    });
  });

  it('has embedded structs, quantities and ports in the form of JSON', () => {
    const probe = bytes(11, [
      ...bytes(1, bytes(2, [...bytes(1, '/x'), ...bytes(2, [...integer(1, 1), ...bytes(3, 'http')])])),
      ...integer(3, 0),
    ]);
    const resources = bytes(8, bytes(1, [...bytes(1, 'cpu'), ...bytes(2, bytes(1, '500m'))]));
    const pod = bytes(2, bytes(2, [...bytes(1, 'c'), ...probe, ...resources]));
    expect(decoder.decode(body('v1', 'Pod', pod))).toMatchObject({
      spec: {
        containers: [
          {
            name: 'c',
            readinessProbe: { httpGet: { path: '/x', port: 'http' } },
            resources: { limits: { cpu: '500m' } },
          },
        ],
      },
    });
  });

  it('keeps zeros of pointer fields and drops the others', () => {
    const spec = bytes(2, [...integer(1, 0), ...integer(5, 0), ...integer(7, 0)]);
    expect(decoder.decode(body('apps/v1', 'Deployment', spec))['spec']).toEqual({ replicas: 0 });
  });

  it('can have unknown fields, which are dropped', () => {
    expect(decoder.decode(body('v1', 'Secret', [...integer(99, 7), ...bytes(98, 'x')]))).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
    });
  });

  it('can contain DeleteOptions', () => {
    expect(decoder.decode(body('v1', 'DeleteOptions', [...integer(1, 0), ...bytes(4, 'Foreground')]))).toMatchObject({
      gracePeriodSeconds: 0,
      propagationPolicy: 'Foreground',
    });
  });

  it.each([
    ['empty', Buffer.alloc(0)],
    ['JSON', Buffer.from('{"kind":"Secret"}')],
    ['of an unknown kind', body('v9', 'Nope', [])],
    ['cut short', body('v1', 'Secret', bytes(1, 'metadata of some length')).subarray(0, -5)],
    [
      'with an endless varint',
      body(
        'v1',
        'Secret',
        Array.from({ length: 20 }, () => 0xff),
      ),
    ],
    ['with a group', body('v1', 'Secret', [0x0b])],
  ])('that is %s is refused with 400', (_what, bad) => {
    expect(() => decoder.decode(bad)).toThrow(expect.objectContaining({ code: 400 }) as Error);
  });
});
