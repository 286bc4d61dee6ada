import { quantiles, type FleetResult } from '../results.ts';

/** A clean run of two VMs, for tests. */
export function aResult(): FleetResult {
  const times = { toAnswer: [100, 200], toRunning: [1100, 1200], toLease: [2100, 2200] };
  return {
    options: { vms: 2, cycled: 0, server: 'embedded', placement: 'Shared', bootTime: 1000, killAgent: true },
    clients: { IPMI: 1, Redfish: 1 },
    errors: [],
    startedOnce: 2,
    starts: 2,
    leased: 2,
    repeats: 0,
    setUp: 4000,
    storm: 2200,
    times,
    latencies: {
      toAnswer: quantiles(times.toAnswer),
      toRunning: quantiles(times.toRunning),
      toLease: quantiles(times.toLease),
    },
    curves: { requested: [0, 1], answered: times.toAnswer, running: times.toRunning, leased: times.toLease },
    processes: [
      {
        role: 'manager',
        processorTime: 500,
        resident: 100,
        most: 110,
        memory: [
          [-1000, 90],
          [0, 110],
          [1000, 100],
        ],
      },
    ],
    requests: {
      manager: { all: 20, storm: 2 },
      'BMC agents': { all: 10, storm: 5 },
      'DHCP agents': { all: 1, storm: 1 },
      'simulator and load generator': { all: 60, storm: 20 },
    },
    kill: { pod: 'agent-0', bmcs: 2, successor: 'agent-0', restarted: 500, ipmi: 2500, redfish: 2600 },
  };
}
