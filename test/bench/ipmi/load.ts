import { OURS, type Measurement } from '../measurement.ts';
import { memoryOf, processorTimeOf } from '../process-facts.ts';
import type { Contender } from './contender.ts';
import { Figures } from '../figures.ts';
import { ROWS, type Figure } from './rows.ts';
import type { LoadReport, LoadTask } from './programs/load-task.ts';
import { runLoad } from './run-load.ts';

const ROUNDS = 5;
const MEGABYTE = 1e6;
/** ms. */
const DURATION = 2_000;
/** Enough for 100,000 handshakes of ours. */
const LONG = 4_000;

type Add = (figure: Figure, value: number) => void;
type Measure = (contender: Contender, add: Add) => Promise<void>;

/**
 * Requests and sessions a second, what they take, and starts; the contenders take turns in each round.
 *
 * @returns `notes`: what peers did not go through with
 */
export async function measureLoad(
  contenders: readonly Contender[],
  progress: (line: string) => void,
): Promise<{ measurements: Measurement[]; notes: string[] }> {
  const figures = new Figures(ROWS);
  const notes = new Set<string>();
  const attempt = async (measure: Measure, contender: Contender): Promise<void> => {
    try {
      await measure(contender, (figure, value) => {
        figures.add(contender.name, figure, value);
      });
    } catch (error) {
      if (contender.name === OURS) throw error;
      progress(`LEFT OUT ${contender.name} of ${measure.name}: ${String(error)}`);
      notes.add(`${contender.name} did not get through all rounds: an answer did not come within two seconds.`);
      await contender.restart();
    }
  };
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const measure of [requestsOfOne, requestsOfEight, sessions]) {
      for (const contender of contenders) {
        progress(`round ${round} of ${ROUNDS}: ${measure.name}, ${contender.name}`);
        await attempt(measure, contender);
      }
    }
  }
  // Last, once: who has a place for each of them has none for others meanwhile.
  for (const contender of contenders) {
    progress(`half-open sessions, ${contender.name}`);
    await attempt(halfOpen, contender);
  }
  for (let round = 1; round <= ROUNDS; round += 1) {
    for (const contender of contenders) {
      progress(`start ${round} of ${ROUNDS}: ${contender.name}`);
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
}

async function sessions(contender: Contender, add: Add): Promise<void> {
  add('before', memoryOf(contender.pid).resident / MEGABYTE);
  const { report, cpu } = await load(contender, { kind: 'sessions', clients: 8 });
  add('after', memoryOf(contender.pid).resident / MEGABYTE);
  add('sessions', rateOf(report));
  add('sessionCpu', cpu);
}

async function halfOpen(contender: Contender, add: Add): Promise<void> {
  add('halfOpenBefore', memoryOf(contender.pid).resident / MEGABYTE);
  const { report } = await load(contender, { kind: 'half-open', clients: 8, duration: LONG });
  add('halfOpen', rateOf(report));
  add('halfOpenAfter', memoryOf(contender.pid).resident / MEGABYTE);
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
