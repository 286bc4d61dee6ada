import type { ControllerOptions } from '@groundcrew/controller-runtime';

/**
 * Backoff of failed requests, milliseconds. Without other changes nothing signals the end of an outage, so the maximum
 * is short: a VM that waits for an address must not wait as long as the outage lasted.
 */
export const RETRIES: NonNullable<ControllerOptions['rateLimit']> = { base: 5, max: 30_000 };
