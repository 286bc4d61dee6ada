import type { IncomingMessage } from 'node:http';
import { MachineError } from '../../machine/index.ts';
import type { JsonObject } from '../json.ts';
import { base, machineRefusal, type Message, RedfishError } from '../messages.ts';
import type { Action, Create, Patch } from '../resource.ts';
import {
  type Answer,
  checkConditions,
  checkPatchConditions,
  doneAnswer,
  extendedInfo,
  gone,
  jsonAnswer,
} from './answer.ts';
import { readBody } from './body.ts';
import { evaluateChanges, evaluateWhole, NEW_PROPERTIES, parametersOf, PROPERTIES } from './check-rules.ts';
import { type Exchange, resourceEvent } from './exchange.ts';
import { findPlace, type Place } from './place.ts';
import { composePayload, ownUri, shown } from './read.ts';

/**
 * Applies the valid changes and reports the others (DSP0266 §7.6).
 *
 * @throws RedfishError 400 if none is valid
 */
export async function patch(exchange: Exchange): Promise<Answer> {
  const { service, request, place } = exchange;
  const body = await readBody(request);
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
  checkPatchConditions(request.headers, before.etag);
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

/**
 * Creates a member of a collection and returns it (DSP0266 §7.9).
 *
 * @throws RedfishError
 */
export async function create(exchange: Exchange, maker: Create): Promise<Answer> {
  const { service, request, caller } = exchange;
  const body = await readBody(request);
  await checkPost(exchange);
  if (body === undefined) throw new RedfishError(400, [base('UnrecognizedRequestBody')]);
  const { accepted, messages } = evaluateWhole(maker.rules, body, NEW_PROPERTIES);
  if (messages.length > 0) throw new RedfishError(400, messages);
  const made = await refusable(() => maker.apply(accepted, caller), base('GeneralError'));
  service.publish(resourceEvent('ResourceCreated', made.uri));
  const headers = { ...made.headers, Location: made.uri };
  const place = findPlace(service.tree, made.uri);
  if (place === undefined) return { status: 201, headers };
  const payload = await composePayload(place);
  const text =
    made.messages === undefined
      ? payload.text
      : JSON.stringify({ ...payload.properties, '@Message.ExtendedInfo': extendedInfo(made.messages) });
  const answer = shown(201, place, payload, text);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Maps errors of the machine to Redfish errors; `impossible` is the message for what the machine does not support. */
async function refusable<T>(work: () => T | Promise<T>, impossible: Message): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof MachineError ? machineRefusal(error, impossible) : error;
  }
}

/**
 * Answers DELETE.
 *
 * @throws RedfishError
 */
export async function remove({ service, request, place, caller }: Exchange): Promise<Answer> {
  const uri = await ownUri(place);
  return service.writes.run(uri, async () => {
    const now = findPlace(service.tree, place.uri);
    if (now?.resource.delete === undefined) throw gone(place.uri);
    if (isConditional(request)) checkConditions(request.headers, (await composePayload(now)).etag);
    const { resource } = now;
    await refusable(() => resource.delete?.(caller), base('ResourceCannotBeDeleted'));
    service.publish(resourceEvent('ResourceRemoved', uri));
    return { status: 204 };
  });
}

function isConditional({ headers }: IncomingMessage): boolean {
  return (headers['if-match'] ?? headers['if-none-match']) !== undefined;
}

/**
 * Checks the conditions of a POST. gofish sends the ETag that it read last, also after an action of its own has changed the
 * resource, and that of AccountService to the collection of accounts: its conditions are ignored.
 *
 * @throws RedfishError 412
 */
async function checkPost({ request, place }: Exchange): Promise<void> {
  if (!isConditional(request) || request.headers['user-agent']?.startsWith('gofish/') === true) return;
  checkConditions(request.headers, (await composePayload(place)).etag);
}

/**
 * Runs an action; the body may be missing if no parameter is required (DSP0266 §7.10).
 *
 * @throws RedfishError
 */
export async function runAction(exchange: Exchange, action: Action): Promise<Answer> {
  const body = (await readBody(exchange.request)) ?? {};
  await checkPost(exchange);
  const { accepted, messages } = evaluateWhole(action.rules, body, parametersOf(action.name));
  if (messages.length > 0) throw new RedfishError(400, messages);
  const outcome = await refusable(
    () => action.run(accepted, exchange.caller),
    base('ActionNotSupported', [action.name]),
  );
  if (outcome === undefined) return { status: 204 };
  if ('task' in outcome) return goingOn(exchange, outcome.task);
  if ('changed' in outcome) {
    exchange.service.publish(resourceEvent('ResourceChanged', outcome.changed));
    return { status: 204, headers: { Location: outcome.changed } };
  }
  return 'body' in outcome ? jsonAnswer(200, outcome.body) : doneAnswer(outcome.messages);
}

/** 202 with the Task and its monitor, which answers 202 while the task runs (DSP0266 §12.2). */
async function goingOn({ service }: Exchange, task: string): Promise<Answer> {
  const place = findPlace(service.tree, task);
  if (place === undefined) return { status: 202, headers: { Location: task } };
  const { properties, text } = await composePayload(place);
  const { TaskMonitor: monitor } = properties;
  return { status: 202, headers: { Location: typeof monitor === 'string' ? monitor : task }, text };
}
