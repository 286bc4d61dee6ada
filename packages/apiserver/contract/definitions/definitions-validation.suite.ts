import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import {
  causes,
  definitionScene,
  DEFINITIONS,
  spec,
  type Definition,
} from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { definition, define, change, refusals } = definitionScene(http);

const str = { type: 'string' };
const schema = { openAPIV3Schema: { type: 'object' } };
const version = (more: object) => ({ name: 'v1', served: true, storage: true, schema, ...more });
const withSchema = (openAPIV3Schema: object) => ({ versions: [version({ schema: { openAPIV3Schema } })] });
const withPattern = (pattern: string) => withSchema(spec({ a: { ...str, pattern } }));
const withRule = (rule: string, more: object = {}) =>
  withSchema(spec({ a: { type: 'integer', 'x-kubernetes-validations': [{ rule, ...more }] } }));

describe('a definition is refused with', () => {
  const cases: [label: string, change: Record<string, unknown>][] = [
    ['no group', { group: '' }],
    ['no scope', { scope: undefined }],
    ['an unknown scope', { scope: 'Galaxy' }],
    ['no kind', { names: { plural: 'as' } }],
    ['an unknown conversion strategy', { conversion: { strategy: 'Foo' } }],
    ['no versions', { versions: [] }],
    ['no storage version', { versions: [version({ storage: false })] }],
    ['two storage versions', { versions: [version({}), version({ name: 'v2' })] }],
    ['two versions of one name', { versions: [version({}), version({ storage: false })] }],
    ['an invalid version name', { versions: [version({ name: 'V1' })] }],
    ['no schema', { versions: [version({ schema: undefined })] }],
    ['no schema in one version', { versions: [version({ schema: {} }), version({ name: 'v2', storage: false })] }],
    ['a root that is not an object', withSchema({ type: 'array', items: str })],
    ['a root without a type', withSchema({ properties: { spec: str } })],
    ['an unknown type', withSchema(spec({ a: { type: 'text' } }))],
    ['a reference', withSchema(spec({ a: { ...str, $ref: '#/definitions/a' } }))],
    ['a list of schemas for items', withSchema(spec({ a: { type: 'array', items: [str] } }))],
    ...['(?=a)b', '\\1', '\\p{Foo}', '[[:foo:]]', '(', '[', 'a**', '[z-a]', 'a{2,1}', '*a', ')'].map(
      (pattern): [string, Record<string, unknown>] => [`the pattern ${pattern}`, withPattern(pattern)],
    ),
    ['a rule that cannot be parsed', withRule('self ==')],
    ['a rule with an unknown function', withRule('unknown(self)')],
    ['a rule that is not true or false', withRule('self + 1')],
    ['a rule without text', withRule(' ')],
    ['a message expression that is not a text', withRule('self > 1', { messageExpression: '1' })],
  ];
  it.each(cases)('%s', async (_, more) => {
    const made = definition({ type: 'object' }, { spec: more });
    const { group, names } = made.spec;
    const body = { ...made, metadata: { name: `${names.plural}.${group}` } };
    expect(await http('POST', `${DEFINITIONS}?dryRun=All`, { body })).toMatchObject({
      status: 422,
      body: { reason: 'Invalid' },
    });
  });

  it('a name other than plural and group', async () => {
    const made = definition({ type: 'object' });
    const { group } = made.spec;
    expect(await refusals({ ...made, metadata: { name: `others.${group}` } })).toEqual([
      `FieldValueInvalid metadata.name: Invalid value: "others.${group}": must be spec.names.plural+"."+spec.group`,
    ]);
  });
});

describe('a definition is accepted with', () => {
  const cases: [label: string, change: Record<string, unknown>][] = [
    ['no version that is served', { versions: [version({ served: false })] }],
    ...['(?i)abc', '(?P<a>b)', '[[:alpha:]]', '\\z', '\\Qa.b\\E', 'a{,2}', '\\x{41}', '(?U)a+', '\\pL', '(?s).'].map(
      (pattern): [string, Record<string, unknown>] => [`the pattern ${pattern}`, withPattern(pattern)],
    ),
    ['metadata that restricts names', withSchema({ type: 'object', properties: { metadata: { type: 'object', properties: { name: { ...str, maxLength: 3 } } } } })], // prettier-ignore
    ['integers or strings', withSchema(spec({ a: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, str] } }))], // prettier-ignore
  ];
  it.each(cases)('%s', async (_, more) => {
    expect(await refusals(definition({ type: 'object' }, { spec: more }))).toEqual([]);
  });
});

describe('a change', () => {
  const immutable: [string, object, (made: Definition) => string][] = [
    [
      'scope',
      { scope: 'Namespaced' },
      () => 'FieldValueInvalid spec.scope: Invalid value: "Namespaced": field is immutable',
    ],
    [
      'group',
      { group: 'else.test.io' },
      () => 'FieldValueInvalid spec.group: Invalid value: "else.test.io": field is immutable',
    ],
    [
      'plural',
      { names: { plural: 'elses' } },
      () => 'FieldValueInvalid spec.names.plural: Invalid value: "elses": field is immutable',
    ],
  ];
  it.each(immutable)('of the %s of an established definition is refused', async (_, more, problem) => {
    const { definition: made } = await define({ type: 'object' });
    expect(causes(await change(made, more as Record<string, unknown>))).toContain(problem(made));
  });

  it('of the kind of an established definition is refused', async () => {
    const { definition: made, path } = await define({ type: 'object' });
    const names = { ...made.spec.names, kind: 'Renamed', listKind: 'RenamedList' };
    expect(causes(await change(made, { names }))).toEqual([
      `FieldValueInvalid spec.names.kind: Invalid value: "Renamed": field is immutable`,
    ]);
    expect((await http('GET', path)).status).toBe(200);
  });

  it('that removes the storage version is refused', async () => {
    const { definition: made } = await define({ type: 'object' });
    const versions = [{ name: 'v2', served: true, storage: true, schema }];
    const refused = await change(made, { versions });
    expect(refused).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(causes(refused).join()).toContain(
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions',
    );
  });
});
