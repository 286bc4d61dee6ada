/** The network interface type of a PXE client, option 94: RFC 4578 §2.2. */
export interface ClientInterface {
  /** 1: UNDI. */
  readonly type: number;
  readonly major: number;
  readonly minor: number;
}

export function encodeClientInterface({ type, major, minor }: ClientInterface): Uint8Array {
  return Uint8Array.of(type, major, minor);
}

/** Undefined unless it has three bytes. */
export function decodeClientInterface(value: Uint8Array): ClientInterface | undefined {
  const [type, major, minor] = value;
  if (type === undefined || major === undefined || minor === undefined || value.length > 3) return undefined;
  return { type, major, minor };
}
