import type { ExchangesResult } from './exchanges.ts';

/** What the generator is to do. */
export interface GeneratorTask {
  /** Exchanges at a time; fewer than 4,096. */
  inFlight: number;
  /** It ends when so many are done, */
  most: number;
  /** or so many ms after it began. */
  duration: number;
}

/** What came of it; times in ms. */
export interface GeneratorReport extends Omit<ExchangesResult, 'times'> {
  p50: number;
  p99: number;
  max: number;
}
