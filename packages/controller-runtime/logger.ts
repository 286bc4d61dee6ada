/** The structured logging interface of the runtime; pino loggers implement it. */
export interface Logger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A logger that adds `fields` to each of its lines. */
  child(fields: object): Logger;
}
