import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { memoryOf, processorTimeOf } from '../facts.ts';
import type { Figures, Row } from '../measurement.ts';
import { MACHINES } from './addresses.ts';
import { startContender, type Contender } from './contender.ts';
import type { BenchNetwork } from './network.ts';
import { highestRate, perfdhcpProblem } from './perfdhcp.ts';
import type { GeneratorReport } from './programs/generator.ts';

/** Unknown clients per second. */
const UNKNOWN = 20_000;
/** ms */
const SHORT = 1_500;
const LONG = 2_500;
const STORM_TIMEOUT = 60_000;
const UNKNOWN_PROGRAM = join(import.meta.dirname, 'programs/unknown-clients.ts');
const UNLIMITED = 1e9;

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
  perfdhcp: { what: 'perfdhcp, highest rate with ≤ 0.1 % drops', unit: '/s', goal: 10_000, alternates: true },
  unknownP50: { what: 'one VM at a time, beside 20,000 DISCOVERs of unknown clients a second, p50', unit: 'ms' },
  unknownP99: {
    what: 'one VM at a time, beside 20,000 DISCOVERs of unknown clients a second, p99',
    unit: 'ms',
    goal: 1,
  },
  loadedP50: { what: 'one VM at a time, beside those and on each core a program that never waits, p50', unit: 'ms' },
  loadedP99: {
    what: 'one VM at a time, beside those and on each core a program that never waits, p99',
    unit: 'ms',
    goal: 1,
  },
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

/** Starts a server, measures it from its first storm to its restart, and stops it. Returns notes for the document. */
export async function visit(contender: Contender, network: BenchNetwork, figures: Figures<Figure>): Promise<string[]> {
  const { name } = contender;
  const server = await startContender(contender, network);
  try {
    const notes: string[] = [];
    const add = (figure: Figure, value: number): void => {
      figures.add(name, figure, value);
    };
    add('memoryReady', memoryOf(server.pid));
    if (contender.isTooSlowForStorms !== true) {
      const { elapsed, retransmissions } = await storm(network);
      add('firstStorm', elapsed);
      add('firstStormResent', retransmissions);
    }
    await network.exchange({ inFlight: 64, most: UNLIMITED, duration: LONG });
    await contender.settled?.();
    const one = await network.exchange({ inFlight: 1, most: UNLIMITED, duration: SHORT });
    add('p50', one.p50);
    add('p99', one.p99);
    add('rate16', rateOf(await network.exchange({ inFlight: 16, most: UNLIMITED, duration: SHORT })));
    const before = processorTimeOf(server.pid);
    const many = await network.exchange({ inFlight: 64, most: UNLIMITED, duration: LONG });
    add('rate64', rateOf(many));
    add('cpu', ((processorTimeOf(server.pid) - before) * 1000) / many.count);
    if (contender.isTooSlowForStorms !== true) {
      const { elapsed, retransmissions } = await storm(network);
      add('storm', elapsed);
      add('stormResent', retransmissions);
    }
    if (contender.failsWithUnknownClients !== true) {
      const beside = async (p50: Figure, p99: Figure): Promise<void> => {
        const report = await besideUnknownClients(network);
        if (report.count === 0) {
          notes.push(`${name} gave no lease beside ${UNKNOWN} unknown clients a second.`);
          return;
        }
        figures.add(name, p50, report.p50);
        figures.add(name, p99, report.p99);
      };
      await beside('unknownP50', 'unknownP99');
      await onBusyCores(() => beside('loadedP50', 'loadedP99'));
    }
    add('memory', memoryOf(server.pid));
    add('restart', await server.restart());
    if (contender.cutOff !== undefined) {
      await contender.cutOff();
      add('restartAlone', await server.restart());
    }
    return notes;
  } finally {
    await server.close();
  }
}

/** Starts a server, lets it finish the work after its start, and searches its highest rate with perfdhcp. */
export async function visitWithPerfdhcp(
  contender: Contender,
  network: BenchNetwork,
  figures: Figures<Figure>,
): Promise<string[]> {
  const problem = perfdhcpProblem();
  if (problem !== undefined) return [problem];
  const server = await startContender(contender, network);
  try {
    await network.exchange({ inFlight: 64, most: UNLIMITED, duration: LONG });
    await contender.settled?.();
    figures.add(contender.name, 'perfdhcp', await highestRate(network));
    return [];
  } finally {
    await server.close();
  }
}

/** @throws Error if a VM did not get the address of its lease */
async function storm(network: BenchNetwork): Promise<GeneratorReport> {
  const report = await network.exchange({ inFlight: 1_000, most: MACHINES, duration: STORM_TIMEOUT });
  if (report.count !== MACHINES || report.wrong > 0) {
    throw new Error(`${report.count} of ${MACHINES} VMs got a lease, ${report.wrong} of them a wrong one`);
  }
  return report;
}

async function besideUnknownClients(network: BenchNetwork): Promise<GeneratorReport> {
  const args = [UNKNOWN_PROGRAM, String(UNKNOWN), String(LONG)];
  const flood = network.clients.run(process.execPath, args, { timeout: 10 * LONG });
  const report = await network.exchange({ inFlight: 1, most: UNLIMITED, duration: LONG });
  const { sent } = JSON.parse(await flood) as { sent: number };
  if (sent < UNKNOWN * (LONG / 1000) * 0.9)
    throw new Error(`only ${sent} unknown clients sent a request in ${LONG} ms`);
  return report;
}

/** Runs `work` while other programs use the cores. */
async function onBusyCores(work: () => Promise<void>): Promise<void> {
  const busy = cpus().map(() => spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' }));
  try {
    await Promise.all(busy.map((child) => once(child, 'spawn')));
    await work();
  } finally {
    for (const child of busy) child.kill('SIGKILL');
  }
}

function rateOf({ count, elapsed }: GeneratorReport): number {
  return (count / elapsed) * 1000;
}
