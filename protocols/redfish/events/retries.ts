/** How often an event is sent again to a listener that does not take it, and after how many seconds, unless clients say otherwise. */
export const RETRIES = { attempts: 3, interval: 30 };
/** What clients may set. */
export const RETRY_LIMITS = { attempts: { least: 0, most: 100 }, interval: { least: 1, most: 3600 } };
