import { describe, expect, it } from 'vitest';
import { cluster } from '../../../harness/index.ts';
import { definitionScene, object } from './definition-scene.ts';

const { http } = await cluster();
const { definition, refusals } = definitionScene(http);

const short = { type: 'string', maxLength: 20 };
const map = {
  type: 'array',
  maxItems: 5,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
  items: object({ k: short, v: { type: 'integer' } }, { required: ['k'] }),
};
const fields = {
  s: short,
  i: { type: 'integer' },
  l: { type: 'array', items: { type: 'integer' }, maxItems: 5 },
  m: { type: 'object', additionalProperties: short, maxProperties: 5 },
  map,
  other_map: map,
  obj: object({ x: { type: 'integer' } }),
  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  nullable: { type: 'string', nullable: true, maxLength: 20 },
};
const withRule = (rule: object | string) =>
  object({
    spec: object(fields, { 'x-kubernetes-validations': [typeof rule === 'string' ? { rule } : rule] }),
  });

const AT = 'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]';
/** What is wrong with a rule, without the field and the value where they are the rule itself. */
async function problems(rule: object | string): Promise<string[]> {
  const found = await refusals(definition(withRule(rule)));
  // The names of types have a random part.
  return found.map((cause) =>
    cause
      .replaceAll(/selfType\d+/g, 'selfType')
      .replace(`${AT}.`, '')
      .replace(/^FieldValueInvalid rule: Invalid value: \{"Rule":.*"OptionalOldSelf":\w+\}: /, ''),
  );
}

describe('a rule that cannot be compiled', () => {
  it('is refused with its place and its text', async () => {
    const schema = withRule({ rule: 'self.zz == 1', message: 'm', reason: 'FieldValueForbidden', fieldPath: '.s' });
    expect(await refusals(definition(schema))).toEqual([
      `FieldValueInvalid ${AT}.rule: Invalid value: {"Rule":"self.zz == 1","Message":"m","MessageExpression":"","Reason":"FieldValueForbidden","FieldPath":".s","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field 'zz'\n | self.zz == 1\n | ....^`,
    ]);
  });

  it.each<[rule: string, problems: string[]]>([
    ['self.zz', ["compilation failed: ERROR: <input>:1:5: undefined field 'zz'\n | self.zz\n | ....^"]],
    [
      'zz == 1',
      ["compilation failed: ERROR: <input>:1:1: undeclared reference to 'zz' (in container '')\n | zz == 1\n | ^"],
    ],
    ['self.i', ['cel expression must evaluate to a bool']],
    [
      'self.i == 5.0',
      [
        "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(int, double)'\n | self.i == 5.0\n | .......^",
      ],
    ],
    [
      "self.i == 'a' || self.s == 1",
      [
        "compilation failed: ERROR: <input>:1:8: found no matching overload for '_==_' applied to '(int, string)'\n | self.i == 'a' || self.s == 1\n | .......^\nERROR: <input>:1:25: found no matching overload for '_==_' applied to '(string, int)'\n | self.i == 'a' || self.s == 1\n | ........................^",
      ],
    ],
    [
      'self.s.zz == 1',
      [
        "compilation failed: ERROR: <input>:1:7: type 'string' does not support field selection\n | self.s.zz == 1\n | ......^",
      ],
    ],
    [
      'self.any.foo == 1',
      ["compilation failed: ERROR: <input>:1:9: undefined field 'foo'\n | self.any.foo == 1\n | ........^"],
    ],
    [
      'self.any == {}',
      [
        "compilation failed: ERROR: <input>:1:10: found no matching overload for '_==_' applied to '(selfType.any, map(dyn, dyn))'\n | self.any == {}\n | .........^",
      ],
    ],
    [
      'self.nullable == null',
      [
        "compilation failed: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(string, null)'\n | self.nullable == null\n | ..............^",
      ],
    ],
    [
      'self.map == self.other_map',
      [
        "compilation failed: ERROR: <input>:1:10: found no matching overload for '_==_' applied to '(list(selfType.map.@idx), list(selfType.other_map.@idx))'\n | self.map == self.other_map\n | .........^",
      ],
    ],
    [
      "self.map + [{'k': 'a'}] == self.map",
      [
        "compilation failed: ERROR: <input>:1:10: found no matching overload for '_+_' applied to '(list(selfType.map.@idx), list(map(string, string)))'\n | self.map + [{'k': 'a'}] == self.map\n | .........^",
      ],
    ],
    [
      '[1, 2] == [1, 2.0]',
      [
        "compilation failed: ERROR: <input>:1:15: expected type 'int' but found 'double'\n | [1, 2] == [1, 2.0]\n | ..............^",
      ],
    ],
    [
      "{'a': 1} == {'a': 1.0}",
      [
        "compilation failed: ERROR: <input>:1:10: found no matching overload for '_==_' applied to '(map(string, int), map(string, double))'\n | {'a': 1} == {'a': 1.0}\n | .........^",
      ],
    ],
    [
      "self.l.all(x, x == 'a')",
      [
        "compilation failed: ERROR: <input>:1:17: found no matching overload for '_==_' applied to '(int, string)'\n | self.l.all(x, x == 'a')\n | ................^",
      ],
    ],
    [
      'self.l.all(x.y, true)',
      [
        'compilation failed: ERROR: <input>:1:13: argument must be a simple name\n | self.l.all(x.y, true)\n | ............^',
      ],
    ],
    [
      'self.l.filter(x, x)',
      [
        "compilation failed: ERROR: <input>:1:14: found no matching overload for '_?_:_' applied to '(int, list(int), list(int))'\n | self.l.filter(x, x)\n | .............^",
      ],
    ],
    [
      'self.i.all(x, true)',
      [
        "compilation failed: ERROR: <input>:1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)\n | self.i.all(x, true)\n | ....^",
      ],
    ],
    [
      "self.s + 1 == 'a'",
      [
        "compilation failed: ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(string, int)'\n | self.s + 1 == 'a'\n | .......^",
      ],
    ],
    [
      "self.m[1] == 'a'",
      [
        "compilation failed: ERROR: <input>:1:7: found no matching overload for '_[_]' applied to '(map(string, string), int)'\n | self.m[1] == 'a'\n | ......^",
      ],
    ],
    [
      "self.l['a'] == 1",
      [
        "compilation failed: ERROR: <input>:1:7: found no matching overload for '_[_]' applied to '(list(int), string)'\n | self.l['a'] == 1\n | ......^",
      ],
    ],
    [
      "self.s.contains('a', 'b')",
      [
        "compilation failed: ERROR: <input>:1:16: found no matching overload for 'contains' applied to 'string.(string, string)'\n | self.s.contains('a', 'b')\n | ...............^",
      ],
    ],
    [
      'size(self.i) == 1',
      [
        "compilation failed: ERROR: <input>:1:5: found no matching overload for 'size' applied to '(int)'\n | size(self.i) == 1\n | ....^",
      ],
    ],
    [
      "self.i ? true : 'a'",
      [
        "compilation failed: ERROR: <input>:1:8: found no matching overload for '_?_:_' applied to '(int, bool, string)'\n | self.i ? true : 'a'\n | .......^",
      ],
    ],
    [
      'self.s ? true : false',
      [
        "compilation failed: ERROR: <input>:1:8: found no matching overload for '_?_:_' applied to '(string, bool, bool)'\n | self.s ? true : false\n | .......^",
      ],
    ],
    [
      "!self.s && -self.s == 'a'",
      [
        "compilation failed: ERROR: <input>:1:1: found no matching overload for '!_' applied to '(string)'\n | !self.s && -self.s == 'a'\n | ^\nERROR: <input>:1:12: found no matching overload for '-_' applied to '(string)'\n | !self.s && -self.s == 'a'\n | ...........^",
      ],
    ],
    ['has(self)', ['compilation failed: ERROR: <input>:1:5: invalid argument to has() macro\n | has(self)\n | ....^']],
    ['has(self.zz)', ["compilation failed: ERROR: <input>:1:4: undefined field 'zz'\n | has(self.zz)\n | ...^"]],
    [
      'unknown(self.s)',
      [
        "compilation failed: ERROR: <input>:1:8: undeclared reference to 'unknown' (in container '')\n | unknown(self.s)\n | .......^",
      ],
    ],
    [
      'self.s.unknown()',
      [
        "compilation failed: ERROR: <input>:1:15: undeclared reference to 'unknown' (in container '')\n | self.s.unknown()\n | ..............^",
      ],
    ],
    [
      'lists.range(3) == [0, 1, 2]',
      [
        "compilation failed: ERROR: <input>:1:1: undeclared reference to 'lists' (in container '')\n | lists.range(3) == [0, 1, 2]\n | ^\nERROR: <input>:1:12: undeclared reference to 'range' (in container '')\n | lists.range(3) == [0, 1, 2]\n | ...........^",
      ],
    ],
    [
      "'abc'.reverse() == 'cba'",
      [
        "compilation failed: ERROR: <input>:1:14: undeclared reference to 'reverse' (in container '')\n | 'abc'.reverse() == 'cba'\n | .............^",
      ],
    ],
    [
      "self.s.matches('(')",
      [
        "compilation failed: ERROR: <input>:1:16: invalid matches argument\n | self.s.matches('(')\n | ...............^",
      ],
    ],
    [
      "timestamp('x') < timestamp('2020-01-01T00:00:00Z')",
      [
        "compilation failed: ERROR: <input>:1:11: invalid timestamp argument\n | timestamp('x') < timestamp('2020-01-01T00:00:00Z')\n | ..........^",
      ],
    ],
    [
      "duration('x') < duration('1s')",
      [
        "compilation failed: ERROR: <input>:1:10: invalid duration argument\n | duration('x') < duration('1s')\n | .........^",
      ],
    ],
    [
      "'%d'.format(['x']) == 'x'",
      [
        "compilation failed: ERROR: <input>:1:14: error during formatting: decimal clause can only be used on integers, was given string\n | '%d'.format(['x']) == 'x'\n | .............^",
      ],
    ],
    [
      "'%s'.format([]) == 'x'",
      ["compilation failed: ERROR: <input>:1:12: index 0 out of range\n | '%s'.format([]) == 'x'\n | ...........^"],
    ],
    [
      "'%s'.format(['a', 'b']) == 'x'",
      [
        "compilation failed: ERROR: <input>:1:12: too many arguments supplied to string.format (expected 1, got 2)\n | '%s'.format(['a', 'b']) == 'x'\n | ...........^",
      ],
    ],
    [
      "'%q'.format(['x']) == 'x'",
      [
        "compilation failed: ERROR: <input>:1:12: could not parse formatting clause: unrecognized formatting clause \"q\"\n | '%q'.format(['x']) == 'x'\n | ...........^",
      ],
    ],
    [
      "'%s'.format([self.obj]) == 'x'",
      [
        "compilation failed: ERROR: <input>:1:18: error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given selfType.obj\n | '%s'.format([self.obj]) == 'x'\n | .................^",
      ],
    ],
    [
      "string(quantity('1Gi')) == '1Gi'",
      [
        "compilation failed: ERROR: <input>:1:7: found no matching overload for 'string' applied to '(kubernetes.Quantity)'\n | string(quantity('1Gi')) == '1Gi'\n | ......^",
      ],
    ],
    ["bool('x')", ["program instantiation failed: type conversion error from 'string' to 'bool'"]],
    ['uint(-1) == 1u', ['program instantiation failed: unsigned integer overflow']],
    ["self.s.find('(') == ''", ['program instantiation failed: error parsing regexp: missing closing ): `(`']],
    [
      'self.s == "a',
      [
        "compilation failed: ERROR: <input>:1:11: Syntax error: token recognition error at: '\"a'\n | self.s == \"a\n | ..........^\nERROR: <input>:1:13: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.s == \"a\n | ............^",
      ],
    ],
    [
      'self.s ==',
      [
        "compilation failed: ERROR: <input>:1:10: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.s ==\n | .........^",
      ],
    ],
    [
      '(self.s',
      ["compilation failed: ERROR: <input>:1:8: Syntax error: missing ')' at '<EOF>'\n | (self.s\n | .......^"],
    ],
    [
      '[1, 2',
      [
        "compilation failed: ERROR: <input>:1:6: Syntax error: mismatched input '<EOF>' expecting {']', ','}\n | [1, 2\n | .....^",
      ],
    ],
    ['', ['FieldValueRequired rule: Required value: rule is not specified']],
  ])('%j', async (rule, expected) => {
    expect(await problems(rule)).toEqual(expected);
  });

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
        list: { ...map, items: item },
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
