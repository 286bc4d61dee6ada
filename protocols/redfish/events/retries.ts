/** Default number of retries for an event, and seconds between them. */
export const RETRIES = { attempts: 3, interval: 30 };
/** Limits for clients. */
export const RETRY_LIMITS = { attempts: { least: 0, most: 100 }, interval: { least: 1, most: 3600 } };
