/** Generic completion codes, IPMI 2.0 table 5-2. Command-specific codes are defined with their command. */
export const COMPLETION = {
  ok: 0x00,
  nodeBusy: 0xc0,
  invalidCommand: 0xc1,
  invalidForLun: 0xc2,
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
