import type { JsonObject } from '../../json.ts';
import { base, type Message, type RedfishError } from '../../messages/index.ts';
import { type Answer, jsonAnswer } from './answer.ts';

export function errorAnswer(error: RedfishError): Answer {
  return jsonAnswer(error.status, errorBody(error), error.headers);
}

/** Messages of a completed action, in the same form as an error (DSP0266 §8.6). */
export function doneAnswer(messages: readonly Message[]): Answer {
  const { MessageId: code, Message: message } = base('Success');
  return jsonAnswer(200, { error: { code, message, '@Message.ExtendedInfo': extendedInfo(messages) } });
}

/** An error response (DSP0266 §8.6): a single message is used directly, several become extended info. */
function errorBody({ messages }: RedfishError): JsonObject {
  const [first = base('GeneralError'), ...others] = messages;
  const told = others.length === 0 ? first : base('GeneralError');
  const info = extendedInfo([first, ...others]);
  return { error: { code: told.MessageId, message: told.Message, '@Message.ExtendedInfo': info } };
}

/** Messages in the form for resource payloads. */
export function extendedInfo(messages: readonly Message[]): readonly JsonObject[] {
  return messages.map((message) => ({ '@odata.type': '#Message.v1_3_0.Message', ...message }));
}
