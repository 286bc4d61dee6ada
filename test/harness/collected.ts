import type { EventuallyOptions } from './eventually.ts';

/** Timeout for garbage collection: the garbage collector discovers new kinds every 30 s. */
export const COLLECTED: EventuallyOptions = { timeout: 45_000 };
