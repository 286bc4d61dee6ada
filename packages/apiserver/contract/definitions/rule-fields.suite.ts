import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { definitionScene, object } from '../../../../test/harness/scenes/definition-scene.ts';
import { ruleScene } from './rule-scene.ts';

const { http } = await cluster();
const { definition, refusals } = definitionScene(http);
const { problems } = ruleScene(http);

describe('a rule', () => {
  it.each<[label: string, rule: Record<string, unknown>, problems: string[]]>([
    [
      'a message of blanks',
      { rule: 'true', message: ' ' },
      ['FieldValueInvalid message: Invalid value: " ": must be non-empty if specified'],
    ],
    [
      'a message of two lines',
      { rule: 'true', message: 'a\nb' },
      ['FieldValueInvalid message: Invalid value: "a\\nb": must not contain line breaks'],
    ],
    [
      'a rule of two lines without a message',
      { rule: 'true\n&& true' },
      ['FieldValueRequired message: Required value: message must be specified if rule contains line breaks'],
    ],
    [
      'a message expression of blanks',
      { rule: 'true', messageExpression: ' ' },
      ['FieldValueRequired messageExpression: Required value: messageExpression must be non-empty if specified'],
    ],
    [
      'a message expression that is wrong',
      { rule: 'true', messageExpression: 'self.zz' },
      [
        'FieldValueInvalid messageExpression: Invalid value: {"Rule":"true","Message":"","MessageExpression":"self.zz","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression compilation failed: ERROR: <input>:1:5: undefined field \'zz\'\n | self.zz\n | ....^',
      ],
    ],
    [
      'a message expression that is no text',
      { rule: 'true', messageExpression: '1' },
      [
        'FieldValueInvalid messageExpression: Invalid value: {"Rule":"true","Message":"","MessageExpression":"1","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string',
      ],
    ],
    [
      'a reason that is none',
      { rule: 'true', reason: 'Foo' },
      [
        'FieldValueNotSupported reason: Unsupported value: "Foo": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
      ],
    ],
    [
      'a field path that is none',
      { rule: 'true', fieldPath: 's' },
      ['FieldValueInvalid fieldPath: Invalid value: "s": must be a valid path'],
    ],
    [
      'a field path to nothing',
      { rule: 'true', fieldPath: '.zz' },
      ['FieldValueInvalid fieldPath: Invalid value: ".zz": must be a valid path'],
    ],
    [
      'a field path into a list',
      { rule: 'true', fieldPath: '.l[0]' },
      ['FieldValueInvalid fieldPath: Invalid value: ".l[0]": must be a valid path'],
    ],
    ['a field path into a map', { rule: 'true', fieldPath: ".m['a']" }, []],
    [
      'an optional old self without a use',
      { rule: 'true', optionalOldSelf: true },
      ['FieldValueInvalid optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule'],
    ],
    [
      'an optional old self taken for one that is there',
      { rule: 'oldSelf.i == 1', optionalOldSelf: true },
      [
        'FieldValueInvalid optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
        "compilation failed: ERROR: <input>:1:11: found no matching overload for '_==_' applied to '(optional_type(int), int)'\n | oldSelf.i == 1\n | ..........^",
      ],
    ],
    ['an optional old self', { rule: 'oldSelf.hasValue()', optionalOldSelf: true }, []],
  ])('with %s', async (_, rule, expected) => {
    expect(await problems(rule)).toEqual(expected);
  });
});

describe('a rule about the old value', () => {
  const moving = { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] };

  it('cannot be where old and new values have no connection', async () => {
    const schema = object({ spec: object({ list: { type: 'array', items: moving, maxItems: 3 } }) });
    const path = 'spec.validation.openAPIV3Schema.properties[spec].properties[list]';
    expect(await refusals(definition(schema))).toEqual([
      `FieldValueInvalid ${path}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${path}`,
    ]);
  });

  it('can be in the values of a map, and in the items of a list that has keys', async () => {
    const item = object({ k: { type: 'string', maxLength: 9 }, v: moving }, { required: ['k'] });
    const schema = object({
      spec: object({
        map: { type: 'object', additionalProperties: moving, maxProperties: 3 },
        list: {
          type: 'array',
          maxItems: 5,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k'],
          items: item,
        },
      }),
    });
    expect(await refusals(definition(schema))).toEqual([]);
  });

  it('cannot be in an alternative, as no rule can', async () => {
    const rules = [{ rule: 'true' }];
    const schema = object({ spec: { type: 'string', anyOf: [{ 'x-kubernetes-validations': rules }] } });
    expect(await refusals(definition(schema))).toEqual([
      'FieldValueForbidden spec.validation.openAPIV3Schema.properties[spec].anyOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural',
    ]);
  });
});
