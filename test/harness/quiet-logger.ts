import type { Logger } from '@groundcrew/controller-runtime';

/** A logger without output, for parts with verbose logs. */
export const quietLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quietLogger,
};
