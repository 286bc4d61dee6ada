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
