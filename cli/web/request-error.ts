/** A request that is answered with an error. The message is for people and contains no secret. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code = 'RequestError';
  /** HTTP status. */
  readonly status: number;

  constructor(status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}
