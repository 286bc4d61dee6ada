import type { RequestTotals } from './cluster/request-counts.ts';
import { HOME } from './cluster/stage.ts';
import { NAMESPACE } from './objects.ts';
import type { Observer } from './observer.ts';
import { errorsOf, quantiles, type FleetOptions, type FleetResult } from './results.ts';
import type { Attempt } from './storm.ts';

/** What a run has left. */
export interface Outcome {
  options: FleetOptions;
  attempts: readonly Attempt[];
  observer: Observer;
  /** Time of the first power request. */
  zero: number;
  setUpTime: number;
  figures: FleetResult['processes'];
  /** Requests before the storm, after it, and at the end of the run. */
  requests: Record<'before' | 'after' | 'end', RequestTotals>;
  kill?: FleetResult['kill'];
}

/** All that is reported of a run. */
export function resultOf(outcome: Outcome): FleetResult {
  const { options, attempts, observer, zero, setUpTime, figures, requests, kill } = outcome;
  const seen = attempts.map((attempt) => ({ attempt, sight: observer.sightOf(attempt.vm) }));
  const sinceZero = (times: readonly (number | undefined)[]): number[] =>
    times.flatMap((time) => (time === undefined ? [] : [time - zero])).toSorted((one, other) => one - other);
  const fromRequest = (timeOf: (each: (typeof seen)[number]) => number | undefined): number[] =>
    seen.flatMap((each) => {
      const time = timeOf(each);
      return time === undefined || each.attempt.requested === undefined ? [] : [time - each.attempt.requested];
    });
  const times = {
    toAnswer: fromRequest(({ attempt }) => attempt.answered),
    toRunning: fromRequest(({ sight }) => sight.running),
    toLease: fromRequest(({ sight }) => sight.leased),
  };
  const curves = {
    requested: sinceZero(attempts.map(({ requested }) => requested)),
    answered: sinceZero(attempts.map(({ answered }) => answered)),
    running: sinceZero(seen.map(({ sight }) => sight.running)),
    leased: sinceZero(seen.map(({ sight }) => sight.leased)),
  };
  return {
    options,
    clients: Object.fromEntries(
      Object.entries(Object.groupBy(attempts, ({ client }) => client.tool)).map(([tool, those]) => [
        tool,
        those.length,
      ]),
    ),
    errors: seen.flatMap(({ attempt, sight }) => errorsOf(attempt, sight)),
    startedOnce: seen.filter(({ sight }) => sight.instances.size === 1).length,
    starts: requests.end.starts - requests.before.starts,
    leased: curves.leased.length,
    repeats: attempts.reduce((sum, { client }) => sum + client.repeats, 0),
    setUp: setUpTime,
    storm: Math.max(curves.leased.at(-1) ?? 0, curves.answered.at(-1) ?? 0),
    times,
    latencies: {
      toAnswer: quantiles(times.toAnswer),
      toRunning: quantiles(times.toRunning),
      toLease: quantiles(times.toLease),
    },
    curves,
    processes: figures,
    requests: requestsOf(options.vms, requests),
    ...(kill === undefined ? {} : { kill }),
  };
}

function requestsOf(vms: number, { before, after, end }: Outcome['requests']): FleetResult['requests'] {
  const kindOf = (user: string): keyof FleetResult['requests'] => {
    if (user.startsWith(`system:serviceaccount:${HOME}:`)) return 'manager';
    if (!user.startsWith(`system:serviceaccount:${NAMESPACE}:`)) return 'simulator and load generator';
    return /-dhcp-\d+$/.test(user) ? 'DHCP agents' : 'BMC agents';
  };
  const figures: FleetResult['requests'] = {
    manager: { all: 0, storm: 0 },
    'BMC agents': { all: 0, storm: 0 },
    'DHCP agents': { all: 0, storm: 0 },
    'simulator and load generator': { all: 0, storm: 0 },
  };
  for (const [user, requests] of Object.entries(end.users)) {
    const figure = figures[kindOf(user)];
    figure.all += requests / vms;
    figure.storm += ((after.users[user] ?? 0) - (before.users[user] ?? 0)) / vms;
  }
  return figures;
}
