import { memoryOf, processorTimeOf } from '../facts.ts';
import { Figures, OURS, type Measurement, type Progress, type Row } from '../measurement.ts';
import type { Contender } from './contender.ts';
import { type LoadReport, type LoadTask, runLoad } from './load-client.ts';

/** Not counted: a server runs for months, and ours compiles in its first half minute of load. Each has 6 s of load in a round. */
const WARM_UP = 5;
const ROUNDS = 7;
const STARTS = 5;
/** ms. */
const DURATION = 2_000;
/** ms; enough for 100,000 handshakes of our agent. */
const LONG = 4_000;

/** The ratio has a spread, that of the rounds. */
const PAIRED = { alternates: true } as const;

const ROWS = {
  start: { what: 'process start to first answer', unit: 'ms', goal: 400 },
  rate1: { what: 'requests, 1 session', unit: '/s', ...PAIRED },
  p50of1: { what: 'requests, 1 session: time of one, p50', unit: 'µs' },
  p99of1: { what: 'requests, 1 session: time of one, p99', unit: 'µs' },
  cpu1: { what: "requests, 1 session: server's processor time of one", unit: 'µs', goal: 60, ...PAIRED },
  rate8: { what: 'requests, 8 sessions', unit: '/s', goal: 15_000, ...PAIRED },
  p50of8: { what: 'requests, 8 sessions: time of one, p50', unit: 'µs' },
  p99of8: { what: 'requests, 8 sessions: time of one, p99', unit: 'µs' },
  cpu8: { what: "requests, 8 sessions: server's processor time of one", unit: 'µs', goal: 60, ...PAIRED },
  client8: { what: "requests, 8 sessions: client's processor time of one", unit: 'µs' },
  sessions: { what: 'whole sessions, 8 clients', unit: '/s', goal: 1_000, ...PAIRED },
  sessionCpu: { what: "whole sessions, 8 clients: server's processor time of one", unit: 'µs', ...PAIRED },
  before: { what: 'resident memory before those sessions', unit: 'MB' },
  after: { what: 'resident memory after those sessions', unit: 'MB' },
  halfOpen: { what: 'log-ins begun and left, 8 clients', unit: '/s' },
  halfOpenBefore: { what: 'resident memory before four seconds of those', unit: 'MB' },
  halfOpenAfter: { what: 'resident memory after four seconds of those', unit: 'MB' },
} as const satisfies Record<string, Row>;

type Figure = keyof typeof ROWS;
type Add = (figure: Figure, value: number) => void;
type Measure = (contender: Contender, add: Add) => Promise<void>;

/**
 * Measures requests and sessions per second, their cost, and starts. The contenders take turns in each round.
 *
 * @returns `notes`: measurements that a peer did not complete
 */
export async function measureLoad(
  contenders: readonly Contender[],
  progress: Progress,
): Promise<{ measurements: Measurement[]; notes: string[] }> {
  const figures = new Figures(ROWS);
  const notes = new Set<string>();
  const attempt = async (measure: Measure, contender: Contender, counts = true): Promise<void> => {
    try {
      await measure(contender, (figure, value) => {
        if (counts) figures.add(contender.name, figure, value);
      });
    } catch (error) {
      if (contender.name === OURS) throw error;
      progress(`LEFT OUT ${contender.name} of ${measure.name}: ${String(error)}`);
      notes.add(`${contender.name} did not complete all rounds: an answer took more than two seconds.`);
      await contender.restart();
    }
  };
  for (let round = 1; round <= WARM_UP + ROUNDS; round += 1) {
    for (const measure of [requestsOfOne, requestsOfEight, sessions]) {
      // Forwards and backwards in turn, so that none has the better place.
      for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
        progress(`round ${round} of ${WARM_UP + ROUNDS}: ${measure.name}, ${contender.name}`);
        await attempt(measure, contender, round > WARM_UP);
      }
    }
  }
  // Last: half-open sessions fill the session tables of some servers.
  for (const contender of contenders) {
    progress(`half-open sessions, ${contender.name}`);
    await attempt(halfOpen, contender);
  }
  for (let round = 1; round <= STARTS; round += 1) {
    for (const contender of contenders) {
      progress(`start ${round} of ${STARTS}: ${contender.name}`);
      figures.add(contender.name, 'start', await contender.restart());
    }
  }
  return { measurements: figures.measurements(), notes: [...notes] };
}

async function requestsOfOne(contender: Contender, add: Add): Promise<void> {
  const { report, cpu } = await load(contender, { kind: 'requests', clients: 1 });
  add('rate1', rateOf(report));
  add('p50of1', report.p50);
  add('p99of1', report.p99);
  add('cpu1', cpu);
}

async function requestsOfEight(contender: Contender, add: Add): Promise<void> {
  const { report, cpu } = await load(contender, { kind: 'requests', clients: 8 });
  add('rate8', rateOf(report));
  add('p50of8', report.p50);
  add('p99of8', report.p99);
  add('cpu8', cpu);
  add('client8', report.cpu);
}

async function sessions(contender: Contender, add: Add): Promise<void> {
  add('before', memoryOf(contender.pid));
  const { report, cpu } = await load(contender, { kind: 'sessions', clients: 8 });
  add('after', memoryOf(contender.pid));
  add('sessions', rateOf(report));
  add('sessionCpu', cpu);
}

async function halfOpen(contender: Contender, add: Add): Promise<void> {
  add('halfOpenBefore', memoryOf(contender.pid));
  const { report } = await load(contender, { kind: 'half-open', clients: 8, duration: LONG });
  add('halfOpen', rateOf(report));
  add('halfOpenAfter', memoryOf(contender.pid));
}

/** `cpu`: µs of the server's processor time for each request or session. */
async function load(
  { name, bmc, pid }: Contender,
  task: Pick<LoadTask, 'kind' | 'clients'> & Partial<LoadTask>,
): Promise<{ report: LoadReport; cpu: number }> {
  const { username, password } = bmc;
  const before = processorTimeOf(pid);
  try {
    const report = await runLoad({ ...bmc.ipmi, username, password, duration: DURATION, ...task });
    return { report, cpu: ((processorTimeOf(pid) - before) * 1000) / report.count };
  } catch (cause) {
    throw new Error(`requests to ${name} failed`, { cause });
  }
}

function rateOf({ count, elapsed }: LoadReport): number {
  return (count / elapsed) * 1000;
}
