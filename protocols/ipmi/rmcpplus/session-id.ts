declare const owner: unique symbol;

/** Session ID that the BMC chose; packets from the client carry it. Never 0 in a session. */
export type ManagedSessionId = number & { readonly [owner]: 'managed system' };

/** Session ID that the client chose; packets from the BMC carry it. Never 0 in a session. */
export type ConsoleSessionId = number & { readonly [owner]: 'remote console' };

/** Says that a 32-bit number read from the wire or drawn at random is the BMC's own session ID. */
export function managedSessionId(value: number): ManagedSessionId {
  return value as ManagedSessionId; // the brand exists at compile time alone
}

/** Says that a 32-bit number read from the wire is the client's session ID. */
export function consoleSessionId(value: number): ConsoleSessionId {
  return value as ConsoleSessionId; // the brand exists at compile time alone
}
