import type { JsonObject } from '../json.ts';

/** Status of permanent parts, running or not. No faults are reported for them. */
export const WELL = { State: 'Enabled', Health: 'OK' } satisfies JsonObject;
