import type { Logger } from '../logger.ts';

const ignore = (): void => undefined;

/** A logger without output. */
export const silentLogger: Logger = {
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
};
