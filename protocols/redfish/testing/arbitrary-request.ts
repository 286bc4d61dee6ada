import fc from 'fast-check';
import type { Json, JsonObject } from '../json.ts';

/** A generated request. */
export interface FuzzRequest {
  readonly method: string;
  /** With the query; only characters that are valid in a request line. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: no body. */
  readonly body: string | undefined;
  /** Whether the right password is sent with it. */
  readonly isKnown: boolean;
}

/** Placed where passwords belong; must not appear in any answer. */
export const CANARY = 'Zz9-canary-Qv';

/** The account of the requests. */
export const USER = 'joan';
export const PASSWORD = `${CANARY}-${USER}`;

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'M-SEARCH'];
/** Invalid parts of paths and queries. */
const JUNK = ['%', '%00', '%2e%2e', '%2F', '..', '//', '/', '%E0%A4', '1', '-1', '0', '$metadata', '{', '#', "'", '__proto__', 'constructor', 'A'.repeat(300)]; // prettier-ignore
const QUERIES = [
  '$expand=.',
  '$expand=*($levels=6)',
  '$expand=~($levels=99)',
  '$select=Name,Id',
  '$select=*',
  '$select=Links/Chassis',
  "$filter=Name eq 'a'",
  '$filter=Id gt 3 and not (Name ne null)',
  `$filter=${'('.repeat(200)}`,
  `$filter=${'not '.repeat(200)}true`,
  '$top=1',
  '$top=-1',
  '$skip=99999999999999999999',
  'only',
  'excerpt',
  '$count=true',
  '$apply=x',
  '=&&=',
  'x=y',
];
const PROTOTYPES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
const TEXTS = ['https://192.0.2.9/a.iso', 'https://[::1', 'http://a b/', '/redfish/v1', USER, 'fresh', 'Operator'];
const SECRET = /(password|token|httpheaders)$/i;

/** Plausible values by property. */
const LIKELY: Readonly<Record<string, readonly string[]>> = {
  UserName: [USER, USER, 'fresh'],
  RoleId: ['Operator', 'ReadOnly'],
  Destination: ['https://192.0.2.9/events'],
  Image: ['https://192.0.2.9/a.iso'],
};

/** Requests for the operations of an OpenAPI description, most of them slightly invalid. */
export function arbitraryRequest({ paths }: JsonObject): fc.Arbitrary<FuzzRequest> {
  const operations = Object.entries(paths as JsonObject).flatMap(([path, item]) => operationsOf(path, item as Item));
  const writes = operations.filter(({ schema }) => schema !== undefined);
  return fc.oneof(fc.constantFrom(...operations), fc.constantFrom(...writes)).chain(({ method, path, schema }) =>
    fc.record({
      method: mostly(fc.constant(method), fc.constantFrom(...METHODS)),
      target: fc.tuple(mostly(fc.constant(path), mutated(path)), query()).map(([at, search]) => encode(at + search)),
      headers: headers(),
      body: body(schema),
      isKnown: fc.integer({ min: 0, max: 19 }).map((roll) => roll > 0),
    }),
  );
}

type Item = Readonly<Record<string, { requestBody?: Body } | undefined>> & { parameters?: readonly Parameter[] };
interface Body {
  content: { 'application/json': { schema: JsonObject } };
}
interface Parameter {
  name: string;
  schema: { examples?: readonly string[] };
}
interface Operation {
  readonly method: string;
  readonly path: string;
  readonly schema: JsonObject | undefined;
}

function operationsOf(template: string, { parameters = [], ...item }: Item): Operation[] {
  const path = parameters.reduce(
    (filled, { name, schema }) => filled.replace(`{${name}}`, schema.examples?.[0] ?? '1'),
    template,
  );
  return Object.entries(item).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    schema: operation?.requestBody?.content['application/json'].schema,
  }));
}

function mostly<T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: unusual });
}

function mutated(path: string): fc.Arbitrary<string> {
  const segments = path.split('/');
  const at = fc.nat({ max: segments.length - 1 });
  return fc
    .tuple(at, fc.constantFrom(...JUNK), fc.constantFrom('put', 'replace', 'append', 'cut'))
    .map(([n, junk, how]) => {
      if (how === 'cut') return segments.slice(0, n + 1).join('/') || '/';
      if (how === 'append') return `${path}/${junk}`;
      return `/${segments.toSpliced(n, how === 'put' ? 0 : 1, junk).join('/')}`;
    });
}

function query(): fc.Arbitrary<string> {
  const part = fc.oneof(fc.constantFrom(...QUERIES, ...JUNK), fc.string({ maxLength: 12, unit: 'grapheme' }));
  return mostly(
    fc.constant(''),
    fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `?${parts.join('&')}`),
  );
}

/** Percent-encodes only characters that are invalid in a request line. */
function encode(target: string): string {
  return target.replace(
    /[^!-~]/gu,
    (character) => `%${Buffer.from(character).toString('hex').match(/../g)?.join('%')}`,
  );
}

function headers(): fc.Arbitrary<Record<string, string>> {
  const odd = {
    'content-type': ['application/json', 'text/xml', 'application/json; charset=latin9', 'multipart/form-data', ';'],
    'content-encoding': ['gzip', 'br', 'identity'],
    'odata-version': ['4.0', '4.01', ''],
    'if-match': ['*', '"x"', 'W/"x", "y"', ','],
    'if-none-match': ['*', '"x"', '""'],
    accept: ['*/*', 'text/event-stream', 'application/xml', 'q=0'],
    'accept-encoding': ['gzip;q=2', 'x'],
    'x-auth-token': [CANARY, '0'],
    'x-requested-with': ['XMLHttpRequest'],
    prefer: ['respond-async', 'return=minimal'],
    expect: ['100-continue'],
    host: ['', 'a/b', '[::1'],
    'last-event-id': ['1', '-', '9'.repeat(40)],
  };
  const one = fc
    .constantFrom(...Object.keys(odd))
    .chain((name) => fc.constantFrom(...odd[name as keyof typeof odd]).map((value) => [name, value] as const));
  return mostly(
    fc.constant({}),
    fc.array(one, { maxLength: 3 }).map((entries) => Object.fromEntries(entries) as Record<string, string>),
  );
}

function body(schema: JsonObject | undefined): fc.Arbitrary<string | undefined> {
  const text = (value: Json): string => JSON.stringify(value);
  const sound: fc.Arbitrary<string | undefined> =
    schema === undefined ? fc.constant(undefined) : valueOf(schema, '').map(text);
  const broken = fc.oneof(
    anything().map(text),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.nat({ max: 3000 }).map((depth) => '['.repeat(depth)),
    fc.nat({ max: 30 }).map((depth) => '{"Boot":'.repeat(depth) + 'null' + '}'.repeat(depth)),
    fc.constant(text({ Password: CANARY })),
    fc.constant(`{"Password":"${CANARY}"`),
    fc.constant(`{"Image":"https://joan:${CANARY}@192.0.2.1/a.iso","UserName":"joan","Password":"${CANARY}"}`),
    fc.constant(`{"Password":"${CANARY}${'x'.repeat(200_000)}"}`),
  );
  return mostly(sound, broken);
}

/** A value that is valid or nearly valid by a schema. */
function valueOf(schema: JsonObject, name: string): fc.Arbitrary<Json> {
  const { anyOf } = schema as { anyOf?: readonly JsonObject[] };
  if (anyOf !== undefined) return fc.oneof(...anyOf.map((one) => valueOf(one, name)));
  return fc.oneof({ weight: 12, arbitrary: soundValue(schema, name) }, { weight: 1, arbitrary: wrongValue(name) });
}

function soundValue(schema: JsonObject, name: string): fc.Arbitrary<Json> {
  switch (schema['type']) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: Number(schema['minimum']), max: Math.min(Number(schema['maximum']), 2 ** 31 - 1) });
    case 'null':
      return fc.constant(null);
    case 'string':
      if (SECRET.test(name)) return fc.constantFrom(PASSWORD, PASSWORD, CANARY, `${CANARY}\r\n`, CANARY.repeat(40));
      if (LIKELY[name] !== undefined) return fc.oneof(fc.constantFrom(...LIKELY[name]), text());
      if (schema['enum'] !== undefined) return fc.constantFrom(...(schema['enum'] as string[]));
      return fc.oneof(text(), fc.constantFrom(...TEXTS), ...matching(schema));
    case 'array':
      return fc.array(valueOf(schema['items'] as JsonObject, name), { maxLength: 4 });
    default:
      return objectOf(schema);
  }
}

function objectOf(schema: JsonObject): fc.Arbitrary<Json> {
  const properties = Object.entries(schema['properties'] as Record<string, JsonObject>);
  const required = (schema['required'] ?? []) as string[];
  const known = fc.record(Object.fromEntries(properties.map(([name, inner]) => [name, valueOf(inner, name)])), {
    requiredKeys: required,
  });
  const open = mostly(
    fc.constant({}),
    fc.dictionary(fc.oneof(text(), fc.constantFrom(...PROTOTYPES)), anything(), { maxKeys: 2 }),
  );
  return fc.tuple(known, open).map(([a, b]) => ({ ...b, ...a }));
}

function matching({ pattern }: JsonObject): fc.Arbitrary<string>[] {
  return typeof pattern === 'string' ? [fc.stringMatching(new RegExp(pattern), { size: 'small' })] : [];
}

/** For password properties, the wrong value contains the canary too. */
function wrongValue(name: string): fc.Arbitrary<Json> {
  if (SECRET.test(name)) return fc.constantFrom<Json>([CANARY], { Password: CANARY }, { [CANARY]: 1 }, 7);
  return anything();
}

function text(): fc.Arbitrary<string> {
  return fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom('', ' ', '\u0000', '\ud800', '../..', 'a'.repeat(5000), '%', '"', '<x>'),
  );
}

function anything(): fc.Arbitrary<Json> {
  return fc.jsonValue({ maxDepth: 3 });
}
