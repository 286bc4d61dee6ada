import { randomBytes } from 'node:crypto';
import fc, { type Arbitrary } from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { embeddedServer } from '../../../test/harness/embedded/server.ts';
import { httpOver, type Http, type HttpAnswer } from '../../../test/harness/http.ts';
import { eventually } from '../../../test/harness/index.ts';
import { kubernetesServer } from '../../../test/harness/kubernetes/server.ts';
import type { TestServer } from '../../../test/harness/server.ts';
import { APPLY, JSON_PATCH, MERGE, masked, STRATEGIC, widgetDefinition, type Body } from './writes/write-scene.ts';

/**
 * Sends the same random requests to the embedded API server and to kube-apiserver. After each request, both must have
 * answered with the same status code, reason and object, and must store the same objects. Messages are not compared.
 * Writes of the status contain no values of a wrong type in `spec`: the README of the package has the difference.
 *
 * The seed is fixed, so that each run sends the same requests. Change the seed or the number of runs to search further.
 * A failure prints the seed and the shortest sequence of requests that shows the difference.
 */
const SEED = 20_261_123;
const RUNS = 100;

const NAMESPACE = `random-${randomBytes(4).toString('hex')}`;
const GROUP = `${NAMESPACE}.example.com`;
const NAMES = ['one', 'two'];
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const KINDS = {
  ConfigMap: { apiVersion: 'v1', path: `/api/v1/namespaces/${NAMESPACE}/configmaps` },
  Widget: { apiVersion: `${GROUP}/v1`, path: `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/widgets` },
};
type Kind = keyof typeof KINDS;

/** A request as all servers get it, except for versions and UIDs, which differ between servers. */
interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  kind: Kind;
  /** Absent for the collection. */
  name?: string;
  subresource?: string;
  query?: Record<string, string>;
  contentType?: string;
  body?: object;
  /** Goes into `metadata`, or into the preconditions of a deletion. */
  resourceVersion?: 'latest' | 'first';
  uid?: 'own' | 'other';
}

const text = fc.constantFrom('x', 'y', '');
const texts = fc.dictionary(fc.constantFrom('a', 'b', 'c'), text, { maxKeys: 2 });
const mostly = (usual: Arbitrary<unknown>, ...unusual: unknown[]): Arbitrary<unknown> =>
  fc.oneof({ weight: 7, arbitrary: usual }, { weight: 1, arbitrary: fc.constantFrom(...unusual) });
/** Each property can be absent. */
const some = (model: Record<string, Arbitrary<unknown>>): Arbitrary<object> => fc.record(model, { requiredKeys: [] });
const merged = (...objects: Arbitrary<object>[]): Arbitrary<object> =>
  fc.tuple(...objects).map((all) => Object.assign({}, ...all) as object);

const metadata = some({
  labels: mostly(texts, null),
  annotations: texts,
  finalizers: mostly(fc.subarray(['example.com/a', 'example.com/b']), null),
});
const entry = merged(fc.record({ name: text }), some({ value: text, preset: text, unknown: text }));
const spec = some({
  colour: mostly(fc.constantFrom('red', 'green'), 'blue', null),
  number: mostly(fc.integer({ min: 0, max: 9 }), 1.5, null),
  preset: mostly(text, null),
  nullable: mostly(text, null),
  list: fc.subarray(['l', 'm']),
  set: mostly(fc.subarray(['s', 't', 'u']), ['s', 's']),
  entries: mostly(fc.array(entry, { maxLength: 2 }), [{ value: 'x' }]),
  map: texts,
  whole: texts,
  free: fc.dictionary(fc.constantFrom('a', 'b'), fc.oneof(text, texts, fc.constant(1)), { maxKeys: 2 }),
  unknown: text,
});
const CONTENT: Record<Kind, Arbitrary<object>> = {
  ConfigMap: some({ data: mostly(texts, null), immutable: mostly(fc.constant(false), true) }),
  Widget: some({
    spec: mostly(spec, null),
    // Not null: the README has the difference.
    status: some({ phase: text, replicas: mostly(fc.integer({ min: 0, max: 3 }), -1) }),
  }),
};

const dryRun = fc.constantFrom({}, {}, {}, {}, {}, { dryRun: 'All' });
const manager = fc.constantFrom({ fieldManager: 'alice' }, { fieldManager: 'bob' });
const force = fc.constantFrom({}, { force: 'true' });
const uid = mostly(fc.constant('own'), 'other');
const precondition = some({ uid, resourceVersion: fc.constantFrom('latest', 'latest', 'first') });

function requests(kind: Kind): Arbitrary<Request> {
  const target = fc.record({ name: fc.constantFrom(...NAMES) });
  const part = fc.constantFrom({}, {}, kind === 'Widget' ? { subresource: '/status' } : {});
  const changes = merged(fc.record({ metadata }), CONTENT[kind]);
  const { apiVersion } = KINDS[kind];
  const whole = fc.record({ name: fc.constantFrom(...NAMES), metadata, content: CONTENT[kind] }).map((all) => ({
    name: all.name,
    body: { apiVersion, kind, metadata: { name: all.name, ...all.metadata }, ...all.content },
  }));
  const fields = kind === 'Widget' ? ['/spec/number', '/spec/set/0', '/spec/entries/-'] : ['/data', '/data/a'];
  const operation = fc.record({
    // Not replace: the README has the difference.
    op: fc.constantFrom('add', 'remove', 'test'),
    path: fc.constantFrom('/metadata/labels', '/metadata/labels/a', ...fields),
    value: fc.constantFrom('x', 3, {}, { a: 'x' }, { name: 'dns' }),
  });
  const body = <T extends object>(arbitrary: Arbitrary<T>) => fc.record({ body: arbitrary });
  const query = (...objects: Arbitrary<object>[]) => fc.record({ query: merged(...objects) });
  const send = (weight: number, method: Request['method'], fixed: object, ...model: Arbitrary<object>[]) => ({
    weight,
    arbitrary: merged(...model).map((rest): Request => ({ method, kind, ...fixed, ...rest })),
  });
  const deleteOptions = fc.constantFrom({}, { dryRun: ['All'] }, { propagationPolicy: 'Sideways' });
  const selectors = some({
    labelSelector: fc.constantFrom('a=x', 'a!=x', 'a in (x,y),!b', 'a==='),
    fieldSelector: fc.constantFrom('metadata.name=one', 'metadata.name!=one', 'spec.text=x'),
  });
  return fc.oneof(
    send(4, 'POST', {}, body(whole.map((all) => all.body)), query(dryRun, manager)),
    send(3, 'PUT', {}, whole, query(dryRun, manager), precondition, part),
    send(6, 'PATCH', { contentType: APPLY }, whole, query(dryRun, manager, force), part),
    send(3, 'PATCH', { contentType: MERGE }, target, body(changes), query(dryRun, manager), precondition, part),
    send(1, 'PATCH', { contentType: STRATEGIC }, target, body(changes)),
    send(
      2,
      'PATCH',
      { contentType: JSON_PATCH },
      target,
      body(fc.array(operation, { minLength: 1, maxLength: 2 })),
      part,
    ),
    send(2, 'DELETE', {}, target, body(deleteOptions), precondition),
    send(1, 'GET', {}, target, part),
    send(1, 'GET', {}, query(selectors)),
  );
}

/** One of the two servers, with the versions of its objects. */
class Player {
  readonly #http: Http;
  readonly #known = new Map<string, Body['metadata'][]>();

  constructor({ transport }: TestServer) {
    this.#http = httpOver(transport);
  }

  async begin(): Promise<void> {
    await this.#http('POST', '/api/v1/namespaces', { body: { metadata: { name: NAMESPACE } } });
    await this.#http('POST', DEFINITIONS, { body: widgetDefinition(GROUP) });
    await eventually(async () => {
      expect(await this.#http('GET', KINDS.Widget.path)).toMatchObject({ status: 200 });
    });
  }

  async end(): Promise<void> {
    await this.#http('DELETE', `${DEFINITIONS}/widgets.${GROUP}`);
    await this.#http('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
  }

  /** Deletes all objects of the kind, also those with finalizers. */
  async clear(kind: Kind): Promise<void> {
    const body = { metadata: { finalizers: null } };
    for (const name of NAMES) {
      const path = `${KINDS[kind].path}/${name}`;
      await this.#http('PATCH', path, { body, contentType: MERGE });
      await this.#http('DELETE', path);
    }
    this.#known.clear();
  }

  /** The answer to the request, and the objects of the kind after it. */
  async play(request: Request): Promise<unknown> {
    const { kind, method, name, subresource = '', query, contentType } = request;
    const { path } = KINDS[kind];
    const target = name === undefined || method === 'POST' ? path : `${path}/${name}${subresource}`;
    const body = this.#bodyOf(request);
    const answer = await this.#http(method, `${target}?${new URLSearchParams(query).toString()}`, {
      ...(body === undefined ? {} : { body }),
      ...(contentType === undefined ? {} : { contentType }),
    });
    const stored = await Promise.all(NAMES.map((each) => this.#http('GET', `${path}/${each}`)));
    for (const { status, body: object } of stored) if (status === 200) this.#learn(object as Body);
    return { answer: outcome(answer), stored: stored.map(outcome) };
  }

  #bodyOf({ method, kind, name, body, uid, resourceVersion }: Request): unknown {
    if (body === undefined || Array.isArray(body)) return body;
    const known = this.#known.get(`${kind}/${name}`);
    const version = known?.at(resourceVersion === 'first' ? 0 : -1)?.resourceVersion ?? '1';
    const named = {
      ...(uid === undefined ? {} : { uid: (uid === 'own' ? known?.at(-1)?.uid : undefined) ?? 'other' }),
      ...(resourceVersion === undefined ? {} : { resourceVersion: version }),
    };
    if (method === 'DELETE') return { ...body, preconditions: named };
    return { ...body, metadata: { ...(body as { metadata: object }).metadata, ...named } };
  }

  #learn({ kind = '', metadata }: Body): void {
    const key = `${kind}/${metadata.name}`;
    const known = this.#known.get(key) ?? [];
    this.#known.set(key, [...known.filter(({ uid }) => uid === metadata.uid), metadata]);
  }
}

/** What must be equal on both servers. */
function outcome({ status: code, body }: HttpAnswer): unknown {
  const { kind, reason, items } = body as { kind?: string; reason?: string; items?: Body[] };
  if (kind === 'Status') return { code, reason };
  // The embedded server's controllers create a ConfigMap in each namespace.
  if (items !== undefined) return masked(items.filter(({ metadata: { name } }) => NAMES.includes(name)));
  return { code, body: masked(body) };
}

let servers: TestServer[] = [];
let players: Player[] = [];
beforeAll(async () => {
  servers = [await embeddedServer(), kubernetesServer()];
  players = servers.map((server) => new Player(server));
  for (const player of players) await player.begin();
});
afterAll(async () => {
  for (const player of players) await player.end();
  for (const server of servers) await server.close();
});

const check = async (requests: Request[]) => {
  for (const request of requests) {
    const [embedded, real] = await Promise.all(players.map((player) => player.play(request)));
    expect(embedded, JSON.stringify(request)).toEqual(real);
  }
};

it.each(['ConfigMap', 'Widget'] as const)(
  'the embedded server has the outcomes of kube-apiserver for random requests on a %s',
  async (kind) => {
    const sequences = fc.array(requests(kind), { minLength: 1, maxLength: 10, size: 'max' });
    const property = fc.asyncProperty(sequences, async (sequence) => {
      for (const player of players) await player.clear(kind);
      await check(sequence);
    });
    await fc.assert(property, { numRuns: RUNS, seed: SEED });
    for (const player of players) await player.clear(kind);
  },
  300_000,
);
