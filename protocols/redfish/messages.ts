import type { MachineError } from '../machine/index.ts';
import { BASE, BASE_VERSION } from './base-registry.ts';

export type BaseMessage = keyof typeof BASE;

/** Maximum characters of an argument or a pointer: both may be client input of any length. */
const QUOTED = 128;

/** A message of the Base registry with its arguments inserted; long arguments are truncated. */
export function base(name: BaseMessage, args: readonly string[] = [], properties?: readonly string[]): Message {
  const { severity, text, resolution } = BASE[name];
  const shown = args.map(cut);
  return {
    MessageId: `Base.${BASE_VERSION}.${name}`,
    Message: text.replace(/%(\d)/g, (_match, place: string) => shown[Number(place) - 1] ?? ''),
    MessageArgs: shown,
    MessageSeverity: severity,
    Resolution: resolution,
    ...(properties === undefined ? {} : { RelatedProperties: properties.map(cut) }),
  };
}

/** Does not split a surrogate pair. */
function cut(text: string): string {
  return text.length > QUOTED ? `${text.slice(0, QUOTED).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
}

/** A message of a registry as sent to clients (Message.v1_x). */
export interface Message {
  /** `Base.1.19.PropertyUnknown` */
  readonly MessageId: string;
  readonly Message: string;
  readonly MessageArgs: readonly string[];
  readonly MessageSeverity: 'OK' | 'Warning' | 'Critical';
  readonly Resolution: string;
  /** Related properties as JSON pointers: `#/Boot/BootSourceOverrideTarget`. */
  readonly RelatedProperties?: readonly string[];
}

/** A refused request. */
export class RedfishError extends Error {
  override readonly name = 'RedfishError';
  /** HTTP status, 400 or above. */
  readonly status: number;
  readonly messages: readonly Message[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, messages: readonly Message[], headers: Readonly<Record<string, string>> = {}) {
    super(messages.map(({ Message }) => Message).join(' '));
    this.status = status;
    this.messages = messages;
    this.headers = headers;
  }
}

/** Value of Retry-After, seconds. */
const RETRY_AFTER = '5';

/**
 * The error response for a machine error. The machine's message becomes the Resolution, because the registry's texts do not give
 * the cause.
 *
 * @param impossible the message if this machine never supports the operation
 */
export function machineRefusal({ code, message }: MachineError, impossible: Message): RedfishError {
  switch (code) {
    case 'Busy':
    case 'Unavailable':
    case 'Timeout':
      return new RedfishError(503, [{ ...base('ServiceTemporarilyUnavailable', [RETRY_AFTER]), Resolution: message }], {
        'Retry-After': RETRY_AFTER,
      });
    case 'NotSupported':
      return new RedfishError(400, [{ ...impossible, Resolution: message }]);
    case 'InvalidState':
      return new RedfishError(409, [{ ...base('ResourceInUse'), Resolution: message }]);
    case 'Forbidden':
      return new RedfishError(503, [{ ...base('OperationFailed'), Resolution: message }], {
        'Retry-After': RETRY_AFTER,
      });
  }
}
