/** Network functions of supported requests, IPMI 2.0 table 5-1. The response's is one higher. */
export const NET_FN = {
  chassis: 0x00,
  sensor: 0x04,
  app: 0x06,
  storage: 0x0a,
  transport: 0x0c,
  groupExtension: 0x2c,
} as const;

/** Privilege levels, IPMI 2.0 §6.8; each includes the lower ones. */
export const PRIVILEGE = { callback: 1, user: 2, operator: 3, administrator: 4 } as const;

export type Privilege = (typeof PRIVILEGE)[keyof typeof PRIVILEGE];

/** Level reserved for OEM use; never granted here. */
export const OEM_PRIVILEGE = 5;

/** The level of a received number; undefined for 0, OEM and reserved numbers. */
export function privilegeOf(value: number): Privilege | undefined {
  return Object.values(PRIVILEGE).find((level) => level === value);
}

/** Generic completion codes, IPMI 2.0 table 5-2. Command-specific codes are defined with their command. */
export const COMPLETION = {
  ok: 0x00,
  nodeBusy: 0xc0,
  invalidCommand: 0xc1,
  invalidForLun: 0xc2,
  timeout: 0xc3,
  outOfSpace: 0xc4,
  reservationCancelled: 0xc5,
  invalidLength: 0xc7,
  outOfRange: 0xc9,
  tooManyBytes: 0xca,
  notPresent: 0xcb,
  invalidField: 0xcc,
  notForSensor: 0xcd,
  destinationUnavailable: 0xd3,
  insufficientPrivilege: 0xd4,
  invalidState: 0xd5,
  disabled: 0xd6,
  unspecified: 0xff,
} as const;

/** Ends a command with a completion code other than 0x00; thrown by a handler, answered by the dispatcher. */
export class CompletionError extends Error {
  override readonly name = 'CompletionError';
  /** The byte that the client receives. */
  readonly completionCode: number;

  constructor(completionCode: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.completionCode = completionCode;
  }
}
