import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { definitionScene, spec, type CustomKind } from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { define } = definitionScene(http);

/** Texts that are of a format, and texts that are not. */
const FORMATS: [format: string, good: string[], bad: string[]][] = [
  [
    'date-time',
    ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.123456789+02:00', '2020-01-01t00:00:00z'],
    ['2020-01-01', '2020-01-01 00:00:00', '2020-01-01T25:00:00Z', '2020-01-01T00:00:00', '2020-02-30T00:00:00Z', 'x'],
  ],
  ['datetime', ['2020-01-01T00:00:00Z'], ['2020-01-01']],
  ['date', ['2020-01-02'], ['2020-13-01', '20200102', '2020-01-02T00:00:00Z', '2020-02-30']],
  ['duration', ['1h', '1h30m', '1.5s', '1 day', '2w', '1d', '-1h', 'P1D', '1us', '1µs', '3 hours', '1 Day'], ['1', '']],
  ['ipv4', ['1.2.3.4'], ['::1', '1.2.3', '256.0.0.1', '']],
  ['ipv6', ['::1', 'fe80::1', '::ffff:1.2.3.4'], ['1.2.3.4', 'fe80::1%eth0', ':::']],
  ['cidr', ['10.0.0.0/8', '10.0.0.1/8', '::/0', '10.0.0.0/08'], ['10.0.0.0/33', '1.2.3.4']],
  [
    'mac',
    ['00:11:22:33:44:55', '00-11-22-33-44-55', '0011.2233.4455', '00:11:22:33:44:55:66:77'],
    ['00:11:22:33:44', 'GG:11:22:33:44:55', ''],
  ],
  ['byte', ['aGk=', 'YQ=='], ['aGk', '!', '', 'aGk=aGk=', 'a-b_']],
  ['uri', ['http://a.b/c', '/x', 'mailto:x'], ['a', 'http://[::1', 'a b', '://', '']],
  ['hostname', [], ['a.b', 'a_b', '-a', 'a.b.', '1.2.3.4', 'A.B', '']],
  ['email', ['a@b.c', 'A <a@b.c>', 'a@b'], ['a']],
  [
    'uuid',
    [
      '123e4567-e89b-12d3-a456-426614174000',
      '123e4567e89b12d3a456426614174000',
      '123E4567-E89B-12D3-A456-426614174000',
    ],
    ['x'],
  ],
];
const FIELDS = Object.fromEntries(FORMATS.map(([format]) => [format, { type: 'string', format }]));

let kind: CustomKind;
beforeAll(async () => {
  kind = await define(
    spec({
      ...FIELDS,
      int32: { type: 'integer', format: 'int32' },
      int64: { type: 'integer', format: 'int64' },
      float: { type: 'number', format: 'float' },
      unknown: { type: 'string', format: 'nobody-knows' },
    }),
  );
});

describe.each(FORMATS)('the format %s', (format, good, bad) => {
  it.skipIf(good.length === 0).each(good)('admits %j', async (text) => {
    expect(await kind.refusals({ spec: { [format]: text } })).toEqual([]);
  });

  it.skipIf(bad.length === 0).each(bad)('does not admit %j', async (text) => {
    const message = `spec.${format} in body must be of type ${format}: ${JSON.stringify(text)}`;
    expect(await kind.refusals({ spec: { [format]: text } })).toEqual([
      `FieldValueTypeInvalid spec.${format}: Invalid value: ${JSON.stringify(text)}: ${message}`,
    ]);
  });
});

describe('the formats of numbers', () => {
  it('are not enforced', async () => {
    expect(await kind.refusals({ spec: { int32: 2 ** 31, int64: 2 ** 40, float: 1e39 } })).toEqual([]);
    expect(await kind.refusals({ spec: { int32: 'x' } })).toEqual([
      'FieldValueTypeInvalid spec.int32: Invalid value: "string": spec.int32 in body must be of type integer: "string"',
    ]);
  });
});

describe('an unknown format', () => {
  it('accepts all strings', async () => {
    expect(await kind.refusals({ spec: { unknown: '?' } })).toEqual([]);
  });
});
