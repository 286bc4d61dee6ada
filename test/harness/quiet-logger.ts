import type { Logger } from '@groundcrew/controller-runtime';

/** Drops everything: for parts whose own log would drown a test's output. */
export const quietLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quietLogger,
};
