import type { JsonObject } from '../../json.ts';
import { base, type Message, type RedfishError } from '../../messages/index.ts';
import { type Answer, jsonAnswer } from './answer.ts';

export function errorAnswer(error: RedfishError): Answer {
  return jsonAnswer(error.status, errorBody(error), error.headers);
}

/** What a client is told of an action that is done, in the same form as a refusal (DSP0266 §8.6). */
export function doneAnswer(messages: readonly Message[]): Answer {
  const { MessageId: code, Message: message } = base('Success');
  return jsonAnswer(200, { error: { code, message, '@Message.ExtendedInfo': extendedInfo(messages) } });
}

/** A refusal as clients are sent it (DSP0266 §8.6): one message stands for itself, several are told one by one. */
function errorBody({ messages }: RedfishError): JsonObject {
  const [first = base('GeneralError'), ...others] = messages;
  const told = others.length === 0 ? first : base('GeneralError');
  const info = extendedInfo([first, ...others]);
  return { error: { code: told.MessageId, message: told.Message, '@Message.ExtendedInfo': info } };
}

/** Messages as the payloads of resources have them. */
export function extendedInfo(messages: readonly Message[]): readonly JsonObject[] {
  return messages.map((message) => ({ '@odata.type': '#Message.v1_3_0.Message', ...message }));
}
