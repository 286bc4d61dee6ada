import type { EventuallyOptions } from './eventually.ts';

/** For what the garbage collector takes away: it learns of definitions that are new to the server every half minute. */
export const COLLECTED: EventuallyOptions = { timeout: 45_000 };
