import { EVENT_SERVICE } from '../uris.ts';

export const SUBSCRIPTIONS = `${EVENT_SERVICE}/Subscriptions`;
/** URI of the event stream (DSP0266 §13.5.2). */
export const STREAM = `${EVENT_SERVICE}/SSE`;

/** Deprecated event types, which older clients use. */
export const EVENT_TYPES = [
  'Alert',
  'ResourceAdded',
  'ResourceRemoved',
  'ResourceUpdated',
  'StatusChange',
  'Other',
] as const;
