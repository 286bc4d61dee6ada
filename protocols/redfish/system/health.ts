import type { JsonObject } from '../json.ts';

/** Of parts that a machine has as long as it exists, whether it runs or not. Nothing reports faults of them. */
export const WELL = { State: 'Enabled', Health: 'OK' } satisfies JsonObject;
