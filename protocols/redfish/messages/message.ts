/** A message of a registry, as clients are sent it (Message.v1_x). */
export interface Message {
  /** `Base.1.19.PropertyUnknown` */
  readonly MessageId: string;
  readonly Message: string;
  readonly MessageArgs: readonly string[];
  readonly MessageSeverity: 'OK' | 'Warning' | 'Critical';
  readonly Resolution: string;
  /** What it is about, as JSON pointers: `#/Boot/BootSourceOverrideTarget`. */
  readonly RelatedProperties?: readonly string[];
}

/** A request that is refused. */
export class RedfishError extends Error {
  override readonly name = 'RedfishError';
  /** HTTP status, 400 up. */
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
