import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';
import { definitionScene, object } from '../../../../test/harness/scenes/definition-scene.ts';

const { http } = await cluster();
const { define } = definitionScene(http);

const short = { type: 'string', maxLength: 20 };
const list = (items: object, more: object = {}) => ({ type: 'array', items, maxItems: 5, ...more });
const map = list(object({ k: short, v: { type: 'integer' } }, { required: ['k'] }), {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['k'],
});
const fields = {
  s: short,
  i: { type: 'integer' },
  n: { type: 'number' },
  b: { type: 'boolean' },
  l: list({ type: 'integer' }),
  sl: list(short),
  set: list(short, { 'x-kubernetes-list-type': 'set' }),
  other_set: list(short, { 'x-kubernetes-list-type': 'set' }),
  map,
  m: { type: 'object', additionalProperties: short, maxProperties: 5 },
  obj: object({ x: { type: 'integer' }, y: short }),
  ios: { 'x-kubernetes-int-or-string': true, maxLength: 20 },
  date_time: { type: 'string', format: 'date-time' },
  duration: { type: 'string', format: 'duration' },
  date: { type: 'string', format: 'date' },
  bytes: { type: 'string', format: 'byte', maxLength: 20 },
  'a-b': short,
  namespace: short,
  'x.y/z': { type: 'integer' },
  __x: short,
};
const value = {
  s: 'hello',
  i: 5,
  n: 1.5,
  b: true,
  l: [1, 2, 3],
  sl: ['a', 'b'],
  set: ['x', 'y'],
  other_set: ['y', 'x'],
  map: [
    { k: 'a', v: 1 },
    { k: 'b', v: 2 },
  ],
  m: { a: '1', b: '2' },
  obj: { x: 1 },
  ios: 5,
  date_time: '2020-01-02T03:04:05Z',
  duration: '1h30m',
  date: '2020-01-02',
  bytes: 'aGk=',
  'a-b': 'dash',
  namespace: 'ns',
  'x.y/z': 1,
  __x: 'u',
};

/** The messages with which an object is refused by rules that stand beside its fields. */
async function messages(rules: object[]): Promise<string[]> {
  const kind = await define(object({ spec: object(fields, { 'x-kubernetes-validations': rules }) }));
  return (await kind.refusals({ spec: value })).map((cause) =>
    cause.replace('FieldValueInvalid spec: Invalid value: "object": ', ''),
  );
}

const TRUE: Record<string, string[]> = {
  'fields, lists and maps': [
    "self.a__dash__b == 'dash'",
    "self.__namespace__ == 'ns' && self.namespace == 'ns'",
    'self.x__dot__y__slash__z == 1',
    "self.__underscores__x == 'u'",
    '!has(self.obj.y) && has(self.obj.x) && !has(self.m.zz)',
    "self.l[2] == 3 && self.m['a'] == '1' && self.m.b == '2'",
    "'a' in self.sl && !(5 in self.l) && 'a' in self.m",
    'size(self.l) + size(self.m) == 5 && self.s.size() == 5',
    'self.l + [4] == [1, 2, 3, 4]',
    "self.set == self.other_set && self.set == ['y', 'x']",
    "self.set + ['z'] == ['z', 'x', 'y'] && (self.set + self.other_set).size() == 2",
    "self.ios == 5 && self.ios != '5' && type(self.ios) == int",
    "{'a': 1, 'b': 2}['b'] == 2 && {1: 'a'}[1] == 'a' && {true: 1}[true] == 1",
    "{'a': 1, 'a': 2}['a'] == 2",
    "type(1) == int && type('') == string && type([]) == list && type({}) == map && type(null) == null_type",
    'self.i in [1, 2, 5] ? true : false',
  ],
  macros: [
    "self.map.exists(e, e.k == 'a' && e.v == 1)",
    'self.map.all(e, has(e.v))',
    'self.map.exists_one(e, e.v > 1)',
    "self.map.filter(e, e.v > 1).map(e, e.k) == ['b']",
    "self.map.map(e, e.v > 1, e.k) == ['b']",
    "self.m.all(k, self.m[k] != '') && !self.m.exists(k, k == 'zz')",
    'self.l.exists(x, x / (x - 1) > 0)',
    '[1, 2, 3].all(i, v, i < v) && [1, 2].exists(i, v, i == 1 && v == 2)',
    "{'a': 1}.exists(k, v, k == 'a' && v == 1) && {'a': 1}.existsOne(k, v, v == 1)",
    '[1, 2, 3].transformList(i, v, v * i) == [0, 2, 6] && [1, 2].transformList(i, v, v > 1, v) == [2]',
    "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 10) == {'b': 20} && ['x'].transformMap(i, v, v) == {0: 'x'}",
    "{'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
  ],
  'logic and numbers': [
    '1 / 0 > 0 || self.i > 0',
    '!(1 / 0 > 0 && self.i > 10)',
    'self.i > 3 || 1 / 0 > 0',
    'self.n > 1 && self.i < 5.5 && self.i >= 5u && dyn(5) == dyn(5.0)',
    "dyn(self.i) != dyn('5') && dyn([1]) != dyn(['a'])",
    '-self.i == -5 && 7 / 2 == 3 && -7 % 2 == -1 && 7.5 / 2.5 == 3.0',
    "self.s < 'world' && b'a' < b'b' && false < true",
  ],
  conversions: [
    "string(self.n) == '1.5' && string(1e21) == '1e+21' && string(123456789.0) == '1.23456789e+08'",
    "string(true) == 'true' && string(b'hi') == 'hi' && bytes('hi') == b'hi'",
    "int('5') == 5 && int(1.9) == 1 && double('1.5') == 1.5 && uint(5) == 5u && bool('true')",
    "size(self.bytes) == 2 && self.bytes == b'hi'",
    "duration('1h') + duration('30m') == self.duration && string(self.duration) == '5400s'",
    "string(self.date_time) == '2020-01-02T03:04:05Z' && int(self.date_time) == 1577934245",
    "timestamp(0) == timestamp('1970-01-01T00:00:00Z') && self.date == timestamp('2020-01-02T00:00:00Z')",
  ],
  times: [
    'self.date_time.getFullYear() == 2020 && self.date_time.getMonth() == 0 && self.date_time.getDayOfMonth() == 1 && self.date_time.getDate() == 2',
    'self.date_time.getDayOfWeek() == 4 && self.date_time.getDayOfYear() == 1 && self.date_time.getHours() == 3',
    'self.date_time.getMinutes() == 4 && self.date_time.getSeconds() == 5 && self.date_time.getMilliseconds() == 0',
    "self.date_time.getHours('Europe/Berlin') == 4 && self.date_time.getHours('+02:00') == 5",
    "self.date_time + duration('1h') > self.date_time && self.date_time - self.date_time == duration('0s')",
    'self.duration.getHours() == 1 && self.duration.getMinutes() == 90 && self.duration.getSeconds() == 5400',
    "duration('1.5s').getMilliseconds() == 1500",
  ],
  strings: [
    "self.s.startsWith('he') && self.s.endsWith('lo') && self.s.contains('ell') && self.s.matches('^h.*o$')",
    "self.s.charAt(1) == 'e' && self.s.charAt(5) == '' && size('😀ä') == 2",
    "self.s.substring(1) == 'ello' && self.s.substring(1, 3) == 'el'",
    "self.s.indexOf('l') == 2 && self.s.indexOf('l', 3) == 3 && self.s.indexOf('l', 9) == -1",
    "self.s.lastIndexOf('l') == 3 && self.s.lastIndexOf('l', 2) == 2",
    "self.s.replace('l', 'L') == 'heLLo' && self.s.replace('l', 'L', 1) == 'heLlo'",
    "self.s.split('l') == ['he', '', 'o'] && self.s.split('l', 2) == ['he', 'lo'] && self.s.split('l', 0) == []",
    "self.sl.join() == 'ab' && self.sl.join('-') == 'a-b'",
    "self.s.upperAscii() == 'HELLO' && 'ÄB'.lowerAscii() == 'Äb' && '  x '.trim() == 'x'",
    "self.s.find('l+') == 'll' && self.s.findAll('l') == ['l', 'l'] && self.s.findAll('l', 1) == ['l']",
    "r'\\d' == '\\\\d' && '\\u00e9' == 'é' && \"a'b\" == 'a\\'b'",
  ],
  'Kubernetes libraries': [
    'self.sl.isSorted() && self.l.sum() == 6 && self.l.min() == 1 && self.l.max() == 3',
    "self.sl.indexOf('b') == 1 && self.sl.lastIndexOf('zz') == -1",
    'sets.contains([1, 2], [1]) && sets.equivalent([1, 2], [2, 1, 1]) && sets.intersects([1], [1, 2])',
    "url('https://u:p@ex.com:80/a').getHost() == 'ex.com:80' && url('https://[::1]:80/').getHostname() == '::1'",
    "url('https://ex.com:80/a%20b').getPort() == '80' && url('https://ex.com/a%20b').getEscapedPath() == '/a%20b'",
    "url('https://ex.com/?x=1&x=2').getQuery() == {'x': ['1', '2']} && url('/a').getScheme() == ''",
    "isURL('https://ex.com') && isURL('/x') && !isURL('x') && !isURL('http://a b')",
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1.5').asApproximateFloat() == 1.5",
    "quantity('5').isInteger() && quantity('5k').asInteger() == 5000 && sign(quantity('-1')) == -1",
    "quantity('1').add(quantity('500m')).compareTo(quantity('1.5')) == 0 && quantity('3').sub(1) == quantity('2')",
    "isQuantity('1Ki') && isQuantity('20Mi') && !isQuantity('1.5.5') && !isQuantity('1Zi')",
    "ip('1.2.3.4').family() == 4 && ip('::1').isLoopback() && ip('fe80::1').isLinkLocalUnicast()",
    "ip('0.0.0.0').isUnspecified() && ip('8.8.8.8').isGlobalUnicast() && ip('224.0.0.1').isLinkLocalMulticast()",
    "isIP('1.2.3.4') && !isIP('1.2.3') && ip.isCanonical('::1') && !ip.isCanonical('::01')",
    "string(ip('2001:DB8::0:1')) == '2001:db8::1' && ip('::1') == ip('0::1')",
    "cidr('10.0.0.0/8').containsIP('10.1.1.1') && !cidr('10.0.0.0/8').containsIP(ip('11.0.0.1'))",
    "cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16') && !cidr('10.1.0.0/16').containsCIDR(cidr('10.0.0.0/8'))",
    "cidr('10.0.0.1/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.1/8').ip() == ip('10.0.0.1')",
    "cidr('::/0').prefixLength() == 0 && isCIDR('10.0.0.0/8') && !isCIDR('10.0.0.0/33')",
    "format.dns1123Label().validate('A_').hasValue() && !format.dns1123Label().validate('a').hasValue()",
    "format.named('dns1123Label').hasValue() && !format.named('zzz').hasValue()",
  ],
  optionals: [
    "self.?obj.?y.orValue('d') == 'd' && self.?obj.x.orValue(0) == 1 && !self.?obj.?y.hasValue()",
    "self.m[?'a'].orValue('z') == '1' && self.l[?9].orValue(3) == 3",
    'optional.of(1).or(optional.none()).value() == 1 && !optional.ofNonZeroValue(0).hasValue()',
    'self.?obj.optMap(x, x.x).orValue(0) == 1 && !self.?obj.optFlatMap(x, x.?y).hasValue()',
    'optional.of(1) == optional.of(1) && optional.none() != optional.of(1)',
  ],
};

describe('true of an object are expressions of', () => {
  it.each(Object.entries(TRUE))('%s', async (_, expressions) => {
    const rules = expressions.map((rule) => ({ rule: `!(${rule})`, message: rule }));
    expect(await messages(rules)).toEqual([...expressions].sort());
  });
});

describe('what expressions format', () => {
  const texts: [expression: string, text: string][] = [
    ["'%s is %d'.format([self.s, self.i])", 'hello is 5'],
    ["'%.2f %f %e %.1e'.format([1.234, self.n, 1234.5, 0.00001])", '1.23 1.500000 1.234500×10⁰³ 1.000000×10⁻⁰⁵'],
    ["'%x %X %x %o %b %b %%'.format([255, 'hi', -10, 8, 5, true])", 'ff 6869 -a 10 101 1 %'],
    ["'%f'.format([12345678.5])", '12,345,678.500000'],
    ["'%s'.format([[1, 'a', {'k': 1.5}, null, true]])", '[1, "a", {"k":1.500000}, null, true]'],
    ["'%s %s'.format([duration('1s'), timestamp('2020-01-01T00:00:00Z')])", '1s 2020-01-01T00:00:00Z'],
    ["'%s %s %s'.format([b'x', type(1), 1e100])", 'x int 1e+100'],
    ["'%s'.format([self.set])", '["x", "y"]'],
    ["'%s'.format([self.m])", '{"a":"1", "b":"2"}'],
    ["string(self.date_time - duration('1.5s'))", '2020-01-02T03:04:03.5Z'],
    ["string(duration('1.5s'))", '1.5s'],
    [
      "format.dns1123Label().validate('A_').value()[0]",
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
    ["format.uuid().validate('x').value()[0]", 'does not match the UUID format'],
    ["format.qualifiedName().validate('/').value()[0]", 'prefix part must be non-empty'],
    ["format.date().validate('x').value()[0]", 'invalid date'],
  ];
  it('is', async () => {
    const rules = texts.map(([messageExpression]) => ({ rule: 'false', messageExpression }));
    expect(await messages(rules)).toEqual(texts.map(([, text]) => text).sort());
  });
});

describe('what keeps an expression from a value', () => {
  const problems: [expression: string, problem: string][] = [
    ['-9223372036854775807 - self.i < 0', 'integer overflow evaluating rule:'],
    ['1/0 > 0 && self.i > 0', 'division by zero evaluating rule:'],
    ['1/0 > 0 || self.i > 10', 'division by zero evaluating rule:'],
    ['18446744073709551615u + 1u > 0u', 'unsigned integer overflow evaluating rule:'],
    ['1u - 2u == 1u', 'unsigned integer overflow evaluating rule:'],
    ['9223372036854775807 * self.i > 0', 'integer overflow evaluating rule:'],
    ['9223372036854775807 + self.i > 0', 'integer overflow evaluating rule:'],
    ['[1].filter(x, x > 3).max() == 1', 'max called on empty list evaluating rule:'],
    ['[].min() == 1', 'min called on empty list evaluating rule:'],
    [
      "cidr('10.0.0.0/8').containsIP('x')",
      "'no such overload': call arguments did not match a supported operator, function or macro signature for rule:",
    ],
    [
      "cidr('x').prefixLength() == 1",
      `network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("x"): no '/' evaluating rule:`,
    ],
    ['double(self.s) == 1.0', "type conversion error from 'string' to 'double' evaluating rule:"],
    [
      "dyn(1) + dyn('a') == 2",
      "'no such overload': call arguments did not match a supported operator, function or macro signature for rule:",
    ],
    ['dyn(self.obj).zz == 1', 'no such key: zz evaluating rule:'],
    [
      'dyn(self.s) + 1 == 2',
      "'no such overload': call arguments did not match a supported operator, function or macro signature for rule:",
    ],
    ['int(self.s) == 1', "type conversion error from 'string' to 'int' evaluating rule:"],
    ["ip('::ffff:1.2.3.4').family() == 4", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed evaluating rule:'],
    [
      "ip('x').family() == 4",
      'IP Address "x" parse error during conversion from string: ParseAddr("x"): unable to parse IP evaluating rule:',
    ],
    ['optional.none().value() == 1', 'optional.none() dereference evaluating rule:'],
    ["quantity('1.5').asInteger() == 1", 'cannot convert value to integer evaluating rule:'],
    [
      "quantity('x').isInteger()",
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$' evaluating rule:",
    ],
    ['self.b ? 1/0 > 0 : true', 'division by zero evaluating rule:'],
    ["self.date_time.getHours('x') == 4", 'unknown time zone x evaluating rule:'],
    ['self.i % 0 == 1', 'modulus by zero evaluating rule:'],
    ['self.i / 0 == 1', 'division by zero evaluating rule:'],
    ['self.l.all(x, x / (x - 1) > 0)', 'division by zero evaluating rule:'],
    ['self.l.exists(x, x / (x - 1) > 100)', 'division by zero evaluating rule:'],
    ['self.l.exists_one(x, x / (x - 1) > 0)', 'division by zero evaluating rule:'],
    ['self.l.map(x, x / (x - 1)).size() > 0', 'division by zero evaluating rule:'],
    ['self.l[-1] == 1', 'index out of bounds: -1 evaluating rule:'],
    ['self.l[5] == 1', 'index out of bounds: 5 evaluating rule:'],
    ["self.m.zz == 'a'", 'no such key: zz evaluating rule:'],
    ["self.m['zz'] == 'a'", 'no such key: zz evaluating rule:'],
    ["self.obj.?y.value() == 'x'", 'optional.none() dereference evaluating rule:'],
    ["self.obj.y == 'a'", 'no such key: y evaluating rule:'],
    ["self.s.charAt(6) == ''", 'index out of range: 6 evaluating rule:'],
    [
      "self.s.find('(' + self.s) == ''",
      'Illegal regex: error parsing regexp: missing closing ): `(hello` evaluating rule:',
    ],
    ["self.s.matches(self.s + '(')", 'error parsing regexp: missing closing ): `hello(` evaluating rule:'],
    ["self.s.substring(3,1) == ''", 'invalid substring range. start: 3, end: 1 evaluating rule:'],
    ["self.s.substring(9) == ''", 'index out of range: 9 evaluating rule:'],
    [
      "url('::') == url('x')",
      'URL parse error during conversion from string: parse "::": missing protocol scheme evaluating rule:',
    ],
    ["{'a': 1}['b'] == 1", 'no such key: b evaluating rule:'],
  ];
  it('is said', async () => {
    const rules = problems.map(([rule]) => ({ rule }));
    expect(await messages(rules)).toEqual(problems.map(([rule, problem]) => `${problem} ${rule}`).sort());
  });
});
