declare const owner: unique symbol;

/** Session ID chosen by the BMC and used in the client's packets. Never 0 in a session. */
export type ManagedSessionId = number & { readonly [owner]: 'managed system' };

/** Session ID chosen by the client and used in the BMC's packets. Never 0 in a session. */
export type ConsoleSessionId = number & { readonly [owner]: 'remote console' };

/** Brands a received or random 32-bit number as the BMC's session ID. */
export function managedSessionId(value: number): ManagedSessionId {
  return value as ManagedSessionId; // the brand exists only at compile time
}

/** Brands a received 32-bit number as the client's session ID. */
export function consoleSessionId(value: number): ConsoleSessionId {
  return value as ConsoleSessionId; // the brand exists only at compile time
}
