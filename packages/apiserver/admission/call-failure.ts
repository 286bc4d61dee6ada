import type { Webhook } from './webhook.ts';

/** A webhook could not be asked, or its answer makes no sense: its failurePolicy decides what that means. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';

  constructor({ name }: Webhook, reason: string, cause?: unknown) {
    super(`failed calling webhook ${JSON.stringify(name)}: ${reason}`, { cause });
  }
}
