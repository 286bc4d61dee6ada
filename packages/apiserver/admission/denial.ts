import { isObject, textOr, type JsonObject } from '../json.ts';
import { badRequest, StatusError } from '../status.ts';
import type { Webhook } from './webhook.ts';

/** The Status of a request that a webhook refuses. `result`: what it says of that. */
export function denial({ name }: Webhook, result: JsonObject = {}): StatusError {
  const code = typeof result['code'] === 'number' && result['code'] >= 400 ? result['code'] : 400;
  const reason = textOr(result['reason']);
  const said = textOr(result['message']) || reason;
  const message = `admission webhook ${JSON.stringify(name)} denied the request${said === '' ? ' without explanation' : `: ${said}`}`;
  return new StatusError(code, reason, message, isObject(result['details']) ? result['details'] : undefined);
}

/** A dry run must not reach a webhook that would do something outside. */
export function dryRunRefusal({ name }: Webhook): StatusError {
  return badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}
