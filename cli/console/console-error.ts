/** There is no console; the message says why, and what to do. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  readonly code = 'ConsoleError';
}
