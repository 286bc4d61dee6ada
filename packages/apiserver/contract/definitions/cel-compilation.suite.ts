import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { ruleScene } from './rule-scene.ts';

const { http } = await cluster();
const { place, problems, refusals } = ruleScene(http);

describe('a rule that cannot be compiled', () => {
  it('is refused with its place and its text', async () => {
    const rule = { rule: 'self.zz == 1', message: 'm', reason: 'FieldValueForbidden', fieldPath: '.s' };
    expect(await refusals(rule)).toEqual([
      `FieldValueInvalid ${place}.rule: Invalid value: {"Rule":"self.zz == 1","Message":"m","MessageExpression":"","Reason":"FieldValueForbidden","FieldPath":".s","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:5: undefined field 'zz'\n | self.zz == 1\n | ....^`,
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
});
