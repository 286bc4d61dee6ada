import type { Row } from '../figures.ts';

/** What is measured of each contender, in the order of the table; a goal is of ours. */
export const ROWS = {
  p50: { what: 'one VM at a time, whole exchange, p50', unit: 'ms', goal: 0.2 },
  p99: { what: 'one VM at a time, whole exchange, p99', unit: 'ms', goal: 1 },
  rate16: { what: 'exchanges, 16 in flight', unit: '/s' },
  rate64: { what: 'exchanges, 64 in flight', unit: '/s', goal: 20_000 },
  cpu: { what: "server's processor time of an exchange, 64 in flight", unit: 'µs', goal: 50 },
  firstStorm: { what: '10,000 VMs boot, 1,000 in flight, right after the server has started', unit: 'ms' },
  firstStormResent: {
    what: '10,000 VMs boot, 1,000 in flight, right after the server has started: datagrams sent again',
    unit: 'datagrams',
  },
  storm: { what: '10,000 VMs boot, 1,000 in flight', unit: 'ms', goal: 600 },
  stormResent: { what: '10,000 VMs boot, 1,000 in flight: datagrams sent again', unit: 'datagrams', goal: 0 },
  perfdhcp: { what: 'perfdhcp, highest rate with ≤ 0.1 % drops', unit: '/s', goal: 10_000 },
  strangersP50: { what: 'one VM at a time, beside 20,000 DISCOVERs of strangers a second, p50', unit: 'ms' },
  strangersP99: { what: 'one VM at a time, beside 20,000 DISCOVERs of strangers a second, p99', unit: 'ms', goal: 1 },
  memoryReady: { what: 'resident memory when it is ready, 10,000 leases', unit: 'MB', goal: 80 },
  memory: { what: 'resident memory after all that, 10,000 leases', unit: 'MB', goal: 80 },
  restart: { what: 'killed and started again: until the first VM gets its lease', unit: 'ms', goal: 4_000 },
  restartAlone: {
    what: 'killed and started again while the Kubernetes API is away: until the first VM gets its lease',
    unit: 'ms',
    goal: 4_000,
  },
} as const satisfies Record<string, Row>;

export type Figure = keyof typeof ROWS;
