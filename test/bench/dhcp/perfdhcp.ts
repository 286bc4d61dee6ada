import { findTool, howToInstall } from '../../tools/index.ts';
import { macText, MACHINES, SITE } from './addresses.ts';
import type { BenchNetwork } from './network.ts';

/** Duration of one rate in seconds. */
const PERIOD = 3;
/** Maximum percentage of failed exchanges. */
const ALLOWED_DROPS = 0.1;
/** Minimum share of the rate that perfdhcp itself must reach. */
const LEAST_OF_RATE = 0.97;

/** Why perfdhcp cannot run; undefined if it can. */
export function perfdhcpProblem(): string | undefined {
  return findTool('perfdhcp') === undefined
    ? `perfdhcp is missing. To install it: ${howToInstall('perfdhcp')}`
    : undefined;
}

/** Rates in exchanges a second, the same for all servers. */
const RATES = [
  ...[100, 200, 300, 400, 500, 600, 800],
  ...Array.from({ length: 30 }, (_, index) => (index + 1) * 1_000),
];

/**
 * The highest of the rates at which perfdhcp loses at most one exchange in a thousand; 0 if there is no such rate. Bisects: a server
 * that loses exchanges at a rate loses them at higher rates too.
 */
export async function highestRate(network: BenchNetwork): Promise<number> {
  let [highest, lost] = [-1, RATES.length];
  while (lost - highest > 1) {
    const tried = Math.floor((highest + lost) / 2);
    const rate = RATES[tried] ?? 0;
    // A second attempt, because other load on the machine is not a limit of the server.
    if ((await holds(network, rate)) || (await holds(network, rate))) highest = tried;
    else lost = tried;
  }
  return RATES[highest] ?? 0;
}

async function holds(network: BenchNetwork, rate: number): Promise<boolean> {
  const program = findTool('perfdhcp');
  if (program === undefined) throw new Error(perfdhcpProblem());
  const machines = ['-b', `mac=${macText(0)}`, '-R', String(MACHINES)];
  // With two threads of its own on two processors, the socket of perfdhcp overflows.
  const threads = ['-g', 'single'];
  const load = ['-r', String(rate), '-p', String(PERIOD)];
  const args = ['-4', '-l', SITE.relay, ...threads, ...machines, ...load, SITE.server];
  const printed = await network.clients.run(program, args, { timeout: 60_000 }).catch(printedBy);
  const drops = [...printed.matchAll(/^drops ratio: ([\d.]+|-nan|nan) %$/gm)].map(([, ratio]) => Number(ratio));
  const reached = Number(/^Rate: ([\d.]+) /m.exec(printed)?.[1]);
  if (drops.length < 2 || Number.isNaN(reached)) throw new Error(`perfdhcp printed no drops ratio:\n${printed}`);
  return reached >= rate * LEAST_OF_RATE && drops.every((ratio) => ratio <= ALLOWED_DROPS);
}

/** perfdhcp ends with code 3 if an exchange was lost. */
function printedBy(error: unknown): string {
  if (error instanceof Error && 'stdout' in error && typeof error.stdout === 'string' && error.stdout !== '') {
    return error.stdout;
  }
  throw error;
}
