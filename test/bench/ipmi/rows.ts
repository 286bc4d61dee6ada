import type { Row } from '../figures.ts';

/** What is measured of each contender, in the order of the table; a goal is of ours. */
export const ROWS = {
  start: { what: 'process start to first answer', unit: 'ms', goal: 400 },
  rate1: { what: 'requests, 1 session', unit: '/s' },
  p50of1: { what: 'requests, 1 session: time of one, p50', unit: 'µs' },
  p99of1: { what: 'requests, 1 session: time of one, p99', unit: 'µs' },
  cpu1: { what: "requests, 1 session: server's processor time of one", unit: 'µs', goal: 60 },
  rate8: { what: 'requests, 8 sessions', unit: '/s', goal: 15_000 },
  p50of8: { what: 'requests, 8 sessions: time of one, p50', unit: 'µs' },
  p99of8: { what: 'requests, 8 sessions: time of one, p99', unit: 'µs' },
  cpu8: { what: "requests, 8 sessions: server's processor time of one", unit: 'µs', goal: 60 },
  sessions: { what: 'whole sessions, 8 clients', unit: '/s', goal: 1_000 },
  sessionCpu: { what: "whole sessions, 8 clients: server's processor time of one", unit: 'µs' },
  before: { what: 'resident memory before those sessions', unit: 'MB' },
  after: { what: 'resident memory after those sessions', unit: 'MB' },
  halfOpen: { what: 'log-ins begun and left, 8 clients', unit: '/s' },
  halfOpenBefore: { what: 'resident memory before four seconds of those', unit: 'MB' },
  halfOpenAfter: { what: 'resident memory after four seconds of those', unit: 'MB' },
} as const satisfies Record<string, Row>;

export type Figure = keyof typeof ROWS;
