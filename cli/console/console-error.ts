/** The console is not available. The message gives the reason and what to do. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  readonly code = 'ConsoleError';
}
