import type { Caller } from '../caller.ts';
import type { JsonObject } from '../json.ts';
import { applyQuery, parseQuery } from '../query/index.ts';
import type { Resource } from '../resource.ts';
import type { Answer } from './answer.ts';
import { isUnchanged } from './conditions.ts';
import type { Exchange, Service } from './exchange.ts';
import { mayUse } from './access-check.ts';
import { composePayload, type Payload, schemaUri } from './payload.ts';
import { allowedMethods, findPlace, type Place } from './place.ts';

/**
 * Answers GET and HEAD.
 *
 * @throws RedfishError
 */
export async function get({ service, request, place, caller, search }: Exchange): Promise<Answer> {
  const query = search === '' ? undefined : parseQuery(search);
  const payload = await composePayload(place);
  const headers = { Allow: allowedMethods(place).join(', '), Link: describedBy(place.resource) };
  if (query !== undefined) {
    const read = (uri: string): Promise<JsonObject | undefined> => readFor(service, caller, uri);
    const answer = await applyQuery(query, payload.properties, { uri: place.uri, read });
    return { status: 200, text: JSON.stringify(answer), headers };
  }
  const tagged = { ...headers, ...tagOf(payload) };
  if (isUnchanged(request.headers['if-none-match'], payload.etag)) return { status: 304, headers: tagged };
  return { status: 200, text: payload.text, headers: tagged };
}

/** A resource as somebody is shown it who has changed or made it just now. */
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

/** Another resource for `$expand` and `$filter`; undefined: there is none that the caller may read. */
async function readFor(service: Service, caller: Caller, uri: string): Promise<JsonObject | undefined> {
  const place = findPlace(service.tree, uri);
  if (place === undefined || place.action !== undefined || place.isMembers === true) return undefined;
  return mayUse(caller, place, 'GET') ? (await composePayload(place)).properties : undefined;
}
