/** A client does not follow the protocol, or exceeds a limit: its connection is closed. */
export class RfbError extends Error {
  override readonly name = 'RfbError';
  readonly code = 'RfbError';
}
