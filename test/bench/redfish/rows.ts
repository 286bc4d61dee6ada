import type { Row } from '../figures.ts';
import type { OURS } from '../measurement.ts';

export type Server = typeof OURS | 'sushy-tools';

/** What is measured of each contender, in the order of the table; a goal is of ours. */
export const ROWS = {
  start: { what: 'process start to first answer', unit: 'ms', goal: 1_000 },
  rate1: { what: 'GET of a System, 1 connection', unit: '/s' },
  p99of1: { what: 'GET of a System, 1 connection: time of one, p99', unit: 'ms' },
  rate16: { what: 'GET of a System, 16 connections', unit: '/s', goal: 2_000 },
  p99of16: { what: 'GET of a System, 16 connections: time of one, p99', unit: 'ms', goal: 30 },
  cpu16: { what: "GET of a System, 16 connections: server's processor time of one", unit: 'µs' },
  idle: { what: 'resident memory before all that', unit: 'MB' },
  memory: { what: 'resident memory after 100,000 requests (sushy-tools: 2,000)', unit: 'MB', goal: 150 },
  socketsBefore: { what: 'sockets before those', unit: 'sockets' },
  sockets: { what: 'sockets after those', unit: 'sockets' },
} as const satisfies Record<string, Row>;

export type Figure = keyof typeof ROWS;
