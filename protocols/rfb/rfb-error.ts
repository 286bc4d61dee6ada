/**
 * A stream that is not accepted. The message is a sentence for the user, without a full stop.
 * - `Protocol`: it is not RFB, or exceeds a limit.
 * - `PixelFormat`: a viewer asks for another pixel format.
 */
export class RfbError extends Error {
  override readonly name = 'RfbError';
  readonly code: 'Protocol' | 'PixelFormat';

  constructor(message: string, code: RfbError['code'] = 'Protocol') {
    super(message);
    this.code = code;
  }
}
