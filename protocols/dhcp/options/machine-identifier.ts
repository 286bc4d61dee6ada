/** UUID of the client's machine, option 97: the type 0, then 16 bytes (RFC 4578 §2.3). */
export function encodeMachineIdentifier(uuid: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(0), uuid]);
}

/** The 16 bytes; undefined for another type or length. */
export function decodeMachineIdentifier(value: Uint8Array): Uint8Array | undefined {
  return value.length === 17 && value[0] === 0 ? value.subarray(1) : undefined;
}
