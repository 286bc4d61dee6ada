import { EVENT_SERVICE } from '../uris.ts';

export const SUBSCRIPTIONS = `${EVENT_SERVICE}/Subscriptions`;
/** Where events are streamed from (DSP0266 §13.5.2). */
export const STREAM = `${EVENT_SERVICE}/SSE`;

/** Of the deprecated kind, which older clients ask for. */
export const EVENT_TYPES = [
  'Alert',
  'ResourceAdded',
  'ResourceRemoved',
  'ResourceUpdated',
  'StatusChange',
  'Other',
] as const;
