import type { ControllerOptions } from '@groundcrew/controller-runtime';

/**
 * Of what the API server did not take, milliseconds. Nothing tells that an outage is over where nothing has changed in it,
 * and a machine that waits for its address must not go on waiting for as long as the outage lasted.
 */
export const RETRIES: NonNullable<ControllerOptions['rateLimit']> = { base: 5, max: 30_000 };
