import fc from 'fast-check';
import { rarely, record, some } from './arbitraries.ts';
import { contents, statuses } from './contents.ts';
import { jsonPatches, withNulls } from './json-patches.ts';
import type { PlayedKind } from './kinds.ts';
import { metadata } from './metadata.ts';
import { GENERATED, type Operation, type Sequence, type Version } from './operation.ts';

type Whole = Pick<Operation, 'name' | 'body' | 'twice'>;

const name = fc.constantFrom('one', 'two');
/** One name in ten is of an object that the server named, or nobody. */
const anyName = fc.oneof({ weight: 9, arbitrary: name }, { weight: 1, arbitrary: fc.constant(GENERATED) });
const manager = fc.constantFrom('alice', 'bob', 'carol', 'kubectl');
const version = fc.constantFrom<Version[]>('none', 'none', 'current', 'first', 'unknown');
const uid = fc.constantFrom<Operation['uid'][]>(undefined, undefined, 'own', 'other');
const twice = rarely(fc.constantFrom('kind', 'spec', 'data', 'metadata', 'name', 'labels'), 12);

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const PARTIAL = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json';
const PARTIAL_LIST = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json';

/** Who writes, whether it is for real, and how strictly what is sent is read. */
const writeQuery = record({
  fieldManager: some(manager),
  dryRun: rarely(fc.constantFrom('All', 'All', 'Some'), 6),
  fieldValidation: some(fc.constantFrom('Strict', 'Ignore', 'Warn', 'Lax')),
}).map((query) => query as Operation['query']); // all of them texts

/** Sequences of requests that meet one another: two names, a few managers, a few values. */
export function sequences(kind: PlayedKind): fc.Arbitrary<Sequence> {
  return fc.record({
    kind: fc.constant(kind),
    watch: fc.record({
      query: fc.constantFrom<Operation['query'][]>({}, {}, { labelSelector: 'a=x' }),
      accept: fc.constantFrom('application/json', 'application/json', TABLE, PARTIAL),
    }),
    operations: fc.array(operation(kind), { minLength: 1, maxLength: 12 }),
  });
}

function operation(kind: PlayedKind): fc.Arbitrary<Operation> {
  return fc.oneof(
    { weight: 3, arbitrary: create(kind) },
    { weight: 1, arbitrary: createUnnamed(kind) },
    { weight: 3, arbitrary: replace(kind) },
    { weight: 4, arbitrary: apply(kind) },
    { weight: 3, arbitrary: patch(kind) },
    { weight: 2, arbitrary: patchByJson(kind) },
    { weight: 2, arbitrary: remove(kind) },
    { weight: 1, arbitrary: removeAll(kind) },
    { weight: 1, arbitrary: read(kind) },
    { weight: 1, arbitrary: list(kind) },
    ...(kind.status ? [{ weight: 2, arbitrary: writeStatus(kind) }] : []),
  );
}

/** An object of the kind, which may tell another name than its path's. */
function whole(kind: PlayedKind): fc.Arbitrary<Whole> {
  // A missing name keeps the rules of a custom kind from being asked, and the real server half a minute with a Service.
  const isNameless = !['Widget', 'Service'].includes(kind.name);
  const other = rarely(fc.constantFrom('other', ...(isNameless ? [''] : [])), 30);
  const right = fc
    .record({ name, metadata, parts: contents(kind.name), other, twice })
    .map(({ name, metadata, parts, other, twice }) => ({
      name,
      body: { apiVersion: kind.apiVersion, kind: kind.name, metadata: { name: other ?? name, ...metadata }, ...parts },
      twice,
    }));
  return fc.oneof({ weight: 19, arbitrary: right }, { weight: 1, arbitrary: misled(kind) });
}

/** An object that says it is of another kind or version, or has an unknown field, and nothing else is to be said of. */
function misled(kind: PlayedKind): fc.Arbitrary<Whole> {
  const other = fc.constantFrom(
    { kind: kind.name, apiVersion: 'v2' },
    { kind: kind.name, apiVersion: 'example.com/v1' },
    { kind: kind.name },
    { kind: 'Gadget', apiVersion: kind.apiVersion },
    { kind: '', apiVersion: kind.apiVersion },
    { apiVersion: kind.apiVersion },
    { kind: kind.name, apiVersion: kind.apiVersion, unknown: 'x' },
  );
  return fc.record({ name, other }).map(({ name, other }) => ({
    name,
    body: { ...other, metadata: { name }, ...kind.least },
  }));
}

function create(kind: PlayedKind): fc.Arbitrary<Operation> {
  return fc.record({ whole: whole(kind), query: writeQuery }).map(({ whole, ...rest }): Operation => ({
    kind,
    method: 'POST',
    on: 'collection',
    ...whole,
    ...rest,
  }));
}

function createUnnamed(kind: PlayedKind): fc.Arbitrary<Operation> {
  const generateName = fc.constantFrom('gen-', 'gen-', 'gen-', 'Not a name-');
  return fc
    .record({ metadata, generateName, parts: contents(kind.name), query: writeQuery })
    .map(({ metadata, generateName, parts, query }): Operation => ({
      kind,
      method: 'POST',
      on: 'collection',
      name: GENERATED,
      query,
      body: { apiVersion: kind.apiVersion, kind: kind.name, metadata: { generateName, ...metadata }, ...parts },
    }));
}

function replace(kind: PlayedKind): fc.Arbitrary<Operation> {
  return fc
    .record({ whole: whole(kind), query: writeQuery, version, uid })
    .map(({ whole, ...rest }): Operation => ({ kind, method: 'PUT', on: 'object', ...whole, ...rest }));
}

function apply(kind: PlayedKind): fc.Arbitrary<Operation> {
  const force = fc.constantFrom<Operation['query'][]>({}, { force: 'true' });
  return fc
    .record({ whole: whole(kind), manager, force, query: writeQuery, twice })
    .map(({ whole, manager, force, query }): Operation => ({
      kind,
      method: 'PATCH',
      on: 'object',
      contentType: 'application/apply-patch+yaml',
      ...whole,
      query: { ...query, fieldManager: manager, ...force },
    }));
}

function patch(kind: PlayedKind): fc.Arbitrary<Operation> {
  const end = record({ deletionTimestamp: rarely(fc.constant('2020-01-02T03:04:05Z'), 30) });
  const body = withNulls(
    fc
      .record({ metadata, end, parts: contents(kind.name) })
      .map(({ metadata, end, parts }) => ({ metadata: { ...metadata, ...end }, ...parts })),
    // Of a strategic merge patch that does not fit, kube-apiserver shows what was left of it when that came out.
  ).filter((body) => !/null.*not base64|not base64.*null/.test(JSON.stringify(body)));
  const contentType = fc.constantFrom('application/merge-patch+json', 'application/strategic-merge-patch+json');
  return fc
    .record({ name: anyName, query: writeQuery, contentType, body, version, twice })
    .map((parts): Operation => ({ kind, method: 'PATCH', on: 'object', ...parts }));
}

function patchByJson(kind: PlayedKind): fc.Arbitrary<Operation> {
  return fc.record({ name, query: writeQuery, body: jsonPatches(kind.name) }).map((parts): Operation => ({
    kind,
    method: 'PATCH',
    on: 'object',
    contentType: 'application/json-patch+json',
    ...parts,
  }));
}

/** What happens at once: what the garbage collector has to do first, happens in its own time. */
const deleteOptions = fc
  .constantFrom<object[]>(
    {},
    {},
    {},
    { propagationPolicy: 'Background' },
    { gracePeriodSeconds: 0 },
    { dryRun: ['All'] },
    { dryRun: ['All'], propagationPolicy: 'Foreground' },
    { dryRun: ['All'], propagationPolicy: 'Orphan' },
    { propagationPolicy: 'Sideways' },
    { orphanDependents: false },
  )
  .map((options) => ({ apiVersion: 'v1', kind: 'DeleteOptions', ...options }));

function remove(kind: PlayedKind): fc.Arbitrary<Operation> {
  return fc
    .record({ name: anyName, version, uid, body: deleteOptions })
    .map((parts): Operation => ({ kind, method: 'DELETE', on: 'object', query: {}, ...parts }));
}

const selection = record({
  labelSelector: some(fc.constantFrom('a=x', 'a!=x', 'a in (x,y)', '!b', 'a', 'a==')),
  fieldSelector: rarely(
    fc.constantFrom('metadata.name=one', 'metadata.name!=one', 'spec.colour=red', 'type=Opaque'),
    3,
  ),
}).map((query) => query as Operation['query']); // all of them texts

function removeAll(kind: PlayedKind): fc.Arbitrary<Operation> {
  return fc
    .record({ query: selection, body: deleteOptions })
    .map((parts): Operation => ({ kind, method: 'DELETE', on: 'collection', name: '', ...parts }));
}

function read(kind: PlayedKind): fc.Arbitrary<Operation> {
  return fc
    .record({ name: anyName, accept: fc.constantFrom('application/json', TABLE, PARTIAL) })
    .map((parts): Operation => ({ kind, method: 'GET', on: 'object', query: {}, ...parts }));
}

function list(kind: PlayedKind): fc.Arbitrary<Operation> {
  return fc
    .record({ query: selection, accept: fc.constantFrom('application/json', TABLE, PARTIAL_LIST) })
    .map((parts): Operation => ({ kind, method: 'GET', on: 'collection', name: '', ...parts }));
}

function writeStatus(kind: PlayedKind): fc.Arbitrary<Operation> {
  const contentType = fc.constantFrom('application/merge-patch+json', 'application/apply-patch+yaml');
  return fc
    .record({ name, metadata, status: statuses(kind.name), query: writeQuery, manager, contentType })
    .map(({ name, metadata, status, query, manager, contentType }): Operation => ({
      kind,
      method: 'PATCH',
      on: 'status',
      name,
      contentType,
      query: { ...query, fieldManager: manager },
      body: { apiVersion: kind.apiVersion, kind: kind.name, metadata: { ...metadata, name }, status },
    }));
}
