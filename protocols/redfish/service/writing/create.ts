import { MachineError } from '../../../machine/index.ts';
import { base, RedfishError, machineRefusal } from '../../messages/index.ts';
import type { Create, Created } from '../../resource.ts';
import { type Answer, extendedInfo, type Exchange, resourceEvent } from '../exchange/index.ts';
import { readBody, evaluateWhole, NEW_PROPERTIES } from '../bodies/index.ts';
import { shown, composePayload } from '../reading/index.ts';
import { findPlace } from '../tree/index.ts';

/**
 * Creates a member of a collection and returns it (DSP0266 §7.9).
 *
 * @throws RedfishError
 */
export async function create({ service, request, response, caller }: Exchange, maker: Create): Promise<Answer> {
  const body = await readBody(request, response);
  if (body === undefined) throw new RedfishError(400, [base('UnrecognizedRequestBody')]);
  const { accepted, messages } = evaluateWhole(maker.rules, body, NEW_PROPERTIES);
  if (messages.length > 0) throw new RedfishError(400, messages);
  const made = await make(() => maker.apply(accepted, caller));
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

async function make(work: () => Promise<Created>): Promise<Created> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof MachineError ? machineRefusal(error, base('GeneralError')) : error;
  }
}
