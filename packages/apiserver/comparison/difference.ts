import { isDeepStrictEqual } from 'node:util';
import type { Played } from './player.ts';

/** The first answer that two servers give otherwise, and the requests that lead to it. */
export interface Difference {
  requests: readonly string[];
  real: unknown;
  embedded: unknown;
}

/** Undefined where all answers agree. */
export function firstDifference(real: readonly Played[], embedded: readonly Played[]): Difference | undefined {
  const index = real.findIndex(({ answer }, at) => !isDeepStrictEqual(answer, embedded[at]?.answer));
  if (index === -1) return undefined;
  return {
    requests: real.slice(0, index + 1).map(({ request }) => request),
    real: real[index]?.answer,
    embedded: embedded[index]?.answer,
  };
}
