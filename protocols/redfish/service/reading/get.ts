import type { Caller } from '../../caller.ts';
import type { JsonObject } from '../../json.ts';
import { applyQuery, parseQuery, type Query } from '../../query/index.ts';
import type { OwnAnswer, Resource } from '../../resource.ts';
import { type Answer, isUnchanged, callerKey, type Exchange, type Service } from '../exchange/index.ts';
import { mayUse, schemaUri, allowedMethods, findPlace, type Place } from '../tree/index.ts';
import { composePayload, type Payload } from './payload.ts';

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
