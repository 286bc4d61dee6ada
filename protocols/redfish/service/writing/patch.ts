import { MachineError } from '../../../machine/index.ts';
import type { JsonObject } from '../../json.ts';
import { base, machineRefusal, type Message, RedfishError } from '../../messages/index.ts';
import type { Patch } from '../../resource.ts';
import { type Answer, checkIfMatch, type Exchange, extendedInfo, gone, resourceEvent } from '../exchange/index.ts';
import { evaluateChanges, PROPERTIES, readBody } from '../bodies/index.ts';
import { composePayload, ownUri, shown } from '../reading/index.ts';
import { findPlace, type Place } from '../tree/index.ts';

/**
 * Applies the valid changes and reports the others (DSP0266 §7.6).
 *
 * @throws RedfishError 400 if none is valid
 */
export async function patch(exchange: Exchange): Promise<Answer> {
  const { service, request, response, place } = exchange;
  const body = await readBody(request, response);
  const uri = await ownUri(place);
  return service.writes.run(uri, async () => {
    // The resource may have been changed or removed while this request waited.
    const now = findPlace(service.tree, place.uri);
    if (now?.resource.patch === undefined) throw gone(place.uri);
    const answer = await change(exchange, now, now.resource.patch, body);
    service.publish(resourceEvent('ResourceChanged', uri));
    return answer;
  });
}

async function change(
  { service, request, caller }: Exchange,
  place: Place,
  patcher: Patch,
  body: JsonObject | undefined,
): Promise<Answer> {
  const before = await composePayload(place);
  checkIfMatch(request.headers['if-match'], before.etag);
  if (body === undefined) throw new RedfishError(400, [base('UnrecognizedRequestBody')]);
  const { accepted, messages } = evaluateChanges(patcher.rules, body, PROPERTIES, before.properties);
  if (Object.keys(accepted).length === 0) throw new RedfishError(400, messages.length > 0 ? messages : [nothing(body)]);
  const told = [
    ...messages,
    ...((await applyChanges(() => patcher.apply(accepted, caller), accepted, messages)) ?? []),
  ];
  const after = findPlace(service.tree, place.uri) ?? place;
  const payload = await composePayload(after);
  const text = told.length === 0 ? payload.text : JSON.stringify({ ...payload.properties, ...annotations(told) });
  return shown(200, after, payload, text);
}

function nothing(body: JsonObject): Message {
  return base(Object.keys(body).length === 0 ? 'EmptyJSON' : 'NoOperation');
}

/** Adds the earlier messages to a refusal by the resource. */
async function applyChanges<T>(work: () => Promise<T>, changes: JsonObject, before: readonly Message[]): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const name = Object.keys(changes)[0] ?? '';
    const impossible = base('PropertyValueError', [name], [`#/${name}`]);
    const refused = error instanceof MachineError ? machineRefusal(error, impossible) : error;
    if (!(refused instanceof RedfishError) || before.length === 0) throw refused;
    throw new RedfishError(refused.status, [...refused.messages, ...before], refused.headers);
  }
}

/** `@Message.ExtendedInfo` of the resource and of each of its properties with a message. */
function annotations(messages: readonly Message[]): JsonObject {
  const byProperty = Object.groupBy(messages, ({ RelatedProperties }) => RelatedProperties?.[0]?.split('/')[1] ?? '');
  return {
    '@Message.ExtendedInfo': extendedInfo(messages),
    ...Object.fromEntries(
      Object.entries(byProperty).flatMap(([name, about]) =>
        name === '' || about === undefined ? [] : [[`${name}@Message.ExtendedInfo`, extendedInfo(about)]],
      ),
    ),
  };
}
