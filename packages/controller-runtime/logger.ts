/** Structured logging as the runtime needs it; a pino logger is one. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A logger that adds `fields` to each of its lines. */
  child(fields: object): Logger;
}
