import { findTool, howToInstall } from '../../tools/index.ts';
import { macText, MACHINES, SITE } from './addresses.ts';
import type { BenchNetwork } from './bench-network.ts';

/** Seconds that a rate is held. */
const PERIOD = 3;
/** Most of 100 exchanges that may fail. */
const ALLOWED_DROPS = 0.1;
/** Least part of a rate that perfdhcp must come up to itself. */
const LEAST_OF_RATE = 0.97;

/** Why perfdhcp cannot measure here; undefined where it can. */
export function perfdhcpProblem(): string | undefined {
  return findTool('perfdhcp') === undefined
    ? `perfdhcp is missing. To have it: ${howToInstall('perfdhcp')}`
    : undefined;
}

/** The highest of the rates, exchanges a second, at which perfdhcp loses no more than one in a thousand; 0: none. */
export async function highestRate(network: BenchNetwork, rates: readonly number[]): Promise<number> {
  let highest = 0;
  for (const rate of rates) {
    // Once more: a stumble of the machine is not the server's limit.
    if (!((await holds(network, rate)) || (await holds(network, rate)))) break;
    highest = rate;
  }
  return highest;
}

async function holds(network: BenchNetwork, rate: number): Promise<boolean> {
  const program = findTool('perfdhcp');
  if (program === undefined) throw new Error(perfdhcpProblem());
  const machines = ['-b', `mac=${macText(0)}`, '-R', String(MACHINES)];
  // On two processors its own two threads and the server would wait for each other, and its socket overflows.
  const threads = ['-g', 'single'];
  const load = ['-r', String(rate), '-p', String(PERIOD)];
  const args = ['-4', '-l', SITE.relay, ...threads, ...machines, ...load, SITE.server];
  const printed = await network.clients.run(program, args, { timeout: 60_000 }).catch(printedBy);
  const drops = [...printed.matchAll(/^drops ratio: ([\d.]+|-nan|nan) %$/gm)].map(([, ratio]) => Number(ratio));
  const reached = Number(/^Rate: ([\d.]+) /m.exec(printed)?.[1]);
  if (drops.length < 2 || Number.isNaN(reached)) throw new Error(`perfdhcp says nothing of drops:\n${printed}`);
  return reached >= rate * LEAST_OF_RATE && drops.every((ratio) => ratio <= ALLOWED_DROPS);
}

/** It ends with 3 where anything was lost. */
function printedBy(error: unknown): string {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string' && error.stdout !== '') {
    return error.stdout;
  }
  throw error;
}
