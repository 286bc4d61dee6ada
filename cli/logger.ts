import type { LoggerOptions as PinoOptions } from 'pino';
import type { Logger } from '@groundcrew/controller-runtime';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export const LOG_FORMATS = ['text', 'json'] as const;

export interface LoggerOptions {
  level: string;
  format: string;
  /** 1: standard output, 2: standard error. */
  descriptor: 1 | 2;
}

/** Creates a pino logger that writes JSON lines or readable text. */
export async function createLogger(options: LoggerOptions): Promise<Logger> {
  const { pino } = await import('pino');
  const settings: PinoOptions = { level: options.level, timestamp: pino.stdTimeFunctions.isoTime, base: null };
  if (options.format === 'json') {
    const formatters = { level: (level: string) => ({ level }) };
    return pino({ ...settings, formatters }, pino.destination({ fd: options.descriptor, sync: true }));
  }
  const { default: pretty } = await import('pino-pretty');
  const stream = pretty({
    destination: options.descriptor,
    sync: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'pid,hostname',
    singleLine: true,
  });
  return pino(settings, stream);
}
