import { createHash } from 'node:crypto';
import type { Caller, OwnAnswer, Resource } from '../resource.ts';
import { type JsonObject, isObject } from '../json.ts';
import { applyQuery } from '../query/apply-query.ts';
import { parseQuery, type Query } from '../query/parse-query.ts';
import type { ObjectRule } from '../rules.ts';
import { ROOT } from '../uris.ts';
import { mayUse } from './access-check.ts';
import { actionsOf } from './action-info.ts';
import { type Answer, isUnchanged } from './answer.ts';
import { callerKey, type Exchange, type Service } from './exchange.ts';
import { allowedMethods, findPlace, type Place, schemaUri } from './place.ts';
import type { Found } from './resource-tree.ts';

/**
 * Answers GET and HEAD.
 *
 * @throws RedfishError
 */
export async function get(exchange: Exchange): Promise<Answer> {
  const { service, request, response, place, caller, search } = exchange;
  const query = search === '' ? undefined : parseQuery(search);
  if (query?.expand !== undefined || query?.filter !== undefined) {
    return service.turns.run(callerKey(caller), response, () => queried(exchange, query));
  }
  if (query !== undefined) return queried(exchange, query);
  const payload = await composePayload(place);
  const headers = headersOf(place);
  const tagged = { ...headers, ...tagOf(payload) };
  if (isUnchanged(request.headers['if-none-match'], payload.etag)) return { status: 304, headers: tagged };
  return { status: 200, text: payload.text, headers: tagged };
}

async function queried({ service, place, caller }: Exchange, query: Query): Promise<Answer> {
  const payload = await composePayload(place);
  const read = (uri: string): Promise<JsonObject | undefined> => readFor(service, caller, uri);
  const answer = await applyQuery(query, payload.properties, { uri: place.uri, read });
  return { status: 200, text: JSON.stringify(answer), headers: headersOf(place) };
}

function headersOf(place: Place): Readonly<Record<string, string>> {
  return { Allow: allowedMethods(place).join(', '), Link: describedBy(place.resource) };
}

/** GET and HEAD of a resource with its own answer. */
export function ownAnswer(place: Place, { status, headers, body }: OwnAnswer): Answer {
  return {
    status,
    headers: { ...headersOf(place), ...headers },
    ...(body !== undefined && {
      text: JSON.stringify({ '@odata.id': place.uri, '@odata.type': `#${place.resource.type}`, ...body }),
    }),
  };
}

/** The resource as shown after it was changed or created. */
export function shown(status: number, place: Place, payload: Payload, text: string): Answer {
  return { status, text, headers: { Link: describedBy(place.resource), ...tagOf(payload) } };
}

function tagOf({ etag }: Payload): { ETag?: string } {
  return etag === undefined ? {} : { ETag: etag };
}

/** `<http://redfish.dmtf.org/schemas/v1/ComputerSystem.v1_27_0.json>; rel=describedby` (DSP0266 §8.2). */
function describedBy(resource: Resource): string {
  return `<${schemaUri(resource)}>; rel=describedby`;
}

/** Another resource for `$expand` and `$filter`; undefined: missing or not readable by the caller. */
async function readFor(service: Service, caller: Caller, uri: string): Promise<JsonObject | undefined> {
  const place = findPlace(service.tree, uri);
  if (place === undefined || place.action !== undefined || place.isMembers === true) return undefined;
  return mayUse(caller, place, 'GET') ? (await composePayload(place)).properties : undefined;
}

/** A resource as GET answers it. */
interface Payload {
  readonly properties: JsonObject;
  readonly text: string;
  /** With quotes, as in the header and `@odata.etag`; undefined: volatile. */
  readonly etag: string | undefined;
}

/**
 * Combines the resource's properties with the common ones. The ETag has hashes of what clients can write and of the whole payload
 * (`"<hash>.<hash>"`), so it changes only with the payload and is the same in every process.
 *
 * @throws RedfishError
 */
export async function composePayload({ uri, resource }: Pick<Found, 'uri' | 'resource'>): Promise<Payload> {
  const read = resource.read();
  const said = read instanceof Promise ? await read : read;
  const bare = compose(uri, resource, said);
  const text = JSON.stringify(bare);
  if (resource.isVolatile === true) return { properties: bare, text, etag: undefined };
  const written = resource.patch === undefined ? {} : writtenOf(said, resource.patch.rules);
  const hashes = [JSON.stringify(written), text].map((part) => hashOf(resource.revision ?? '', part));
  const etag = `"${hashes.join('.')}"`;
  return {
    properties: { ...bare, '@odata.etag': etag },
    // Reuses the hashed text.
    text: `${text.slice(0, -1)},"@odata.etag":${JSON.stringify(etag)}}`,
    etag,
  };
}

/**
 * The canonical URI of a resource with several URIs.
 *
 * @throws RedfishError
 */
export async function ownUri({ uri, resource }: Pick<Found, 'uri' | 'resource'>): Promise<string> {
  return idOf(uri, await resource.read());
}

function compose(uri: string, resource: Resource, said: JsonObject): JsonObject {
  const members = said['Members'];
  const id = idOf(uri, said);
  return {
    '@odata.id': id,
    '@odata.type': `#${resource.type}`,
    ...(resource.patch === undefined ? said : withWriteableProperties(said, resource.patch.rules)),
    ...(Array.isArray(members) && { 'Members@odata.count': members.length }),
    ...(resource.actions !== undefined &&
      resource.actions.length > 0 && {
        Actions: { ...actionsOf(id, resource.actions), ...objectOf(said['Actions']) },
      }),
  };
}

function idOf(uri: string, said: JsonObject): string {
  const id = said['@odata.id'];
  return typeof id === 'string' ? id : canonical(uri);
}

/** Only the root has a trailing slash (DSP0266 §6.4). */
function canonical(uri: string): string {
  return uri === ROOT ? `${ROOT}/` : uri;
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}

/** 132 bits. */
function hashOf(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url').slice(0, 22);
}

/** What clients can write. */
function writtenOf(properties: JsonObject, { properties: rules }: ObjectRule): JsonObject {
  const entries = Object.entries(rules).flatMap(([name, rule]) => {
    const value = properties[name];
    if (value === undefined) return [];
    return [[name, rule.kind === 'object' && isObject(value) ? writtenOf(value, rule) : value] as const];
  });
  return Object.fromEntries(entries);
}

/** Adds `@Redfish.WriteableProperties` to an object and its inner objects (spelling of DSP0266 §9.9.7). */
function withWriteableProperties(properties: JsonObject, { properties: rules }: ObjectRule): JsonObject {
  const names = Object.keys(rules).filter((name) => !name.includes('@') && Object.hasOwn(properties, name));
  if (names.length === 0) return properties;
  const within = names.flatMap((name) => {
    const [rule, value] = [rules[name], properties[name]];
    return rule?.kind === 'object' && isObject(value) ? [[name, withWriteableProperties(value, rule)]] : [];
  });
  return {
    ...properties,
    ...(Object.fromEntries(within) as JsonObject),
    '@Redfish.WriteableProperties': names,
  };
}
