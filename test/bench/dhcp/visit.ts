import { join } from 'node:path';
import { memoryOf, processorTimeOf } from '../process-facts.ts';
import { MACHINES } from './addresses.ts';
import type { BenchNetwork } from './bench-network.ts';
import { startContender, type Contender } from './contender.ts';
import { exchange } from './exchange.ts';
import type { Figures } from '../figures.ts';
import type { Figure } from './rows.ts';
import { highestRate, perfdhcpProblem } from './perfdhcp.ts';
import type { GeneratorReport } from './programs/generator-task.ts';

const MEGABYTE = 1e6;
const STRANGERS = 20_000;
/** ms. */
const SHORT = 1_500;
const LONG = 2_500;
const STORM_PATIENCE = 60_000;
const STRANGERS_PROGRAM = join(import.meta.dirname, 'programs/strangers.ts');
const UNLIMITED = 1e9;

/** Starts a server, measures it from its first storm to its restart, and ends it. Gives what else is to be said of it. */
export async function visit(contender: Contender, network: BenchNetwork, figures: Figures<Figure>): Promise<string[]> {
  const { name } = contender;
  const server = await startContender(contender, network);
  try {
    const notes: string[] = [];
    const add = (figure: Figure, value: number): void => {
      figures.add(name, figure, value);
    };
    add('memoryReady', memoryOf(server.pid).resident / MEGABYTE);
    if (contender.isTooSlowForStorms !== true) {
      const { elapsed, retransmissions } = await storm(network);
      add('firstStorm', elapsed);
      add('firstStormResent', retransmissions);
    }
    await exchange(network, { inFlight: 64, most: UNLIMITED, duration: LONG });
    await contender.settled?.();
    const one = await exchange(network, { inFlight: 1, most: UNLIMITED, duration: SHORT });
    add('p50', one.p50);
    add('p99', one.p99);
    add('rate16', rateOf(await exchange(network, { inFlight: 16, most: UNLIMITED, duration: SHORT })));
    const before = processorTimeOf(server.pid);
    const many = await exchange(network, { inFlight: 64, most: UNLIMITED, duration: LONG });
    add('rate64', rateOf(many));
    add('cpu', ((processorTimeOf(server.pid) - before) * 1000) / many.count);
    if (contender.isTooSlowForStorms !== true) {
      const { elapsed, retransmissions } = await storm(network);
      add('storm', elapsed);
      add('stormResent', retransmissions);
    }
    const problem = perfdhcpProblem();
    if (problem === undefined) add('perfdhcp', await highestRate(network, contender.rates));
    else notes.push(problem);
    if (contender.isEndedByStrangers !== true) notes.push(...(await besideStrangers(name, network, figures)));
    add('memory', memoryOf(server.pid).resident / MEGABYTE);
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

/** @throws Error where a VM did not get the address of its lease */
async function storm(network: BenchNetwork): Promise<GeneratorReport> {
  const report = await exchange(network, { inFlight: 1_000, most: MACHINES, duration: STORM_PATIENCE });
  if (report.count !== MACHINES || report.wrong > 0) {
    throw new Error(`${report.count} of ${MACHINES} VMs got a lease, ${report.wrong} of them a wrong one`);
  }
  return report;
}

async function besideStrangers(name: string, network: BenchNetwork, figures: Figures<Figure>): Promise<string[]> {
  const args = [STRANGERS_PROGRAM, String(STRANGERS), String(LONG)];
  const flood = network.clients.run(process.execPath, args, { timeout: 10 * LONG });
  const report = await exchange(network, { inFlight: 1, most: UNLIMITED, duration: LONG });
  const { sent } = JSON.parse(await flood) as { sent: number };
  if (sent < STRANGERS * (LONG / 1000) * 0.9) throw new Error(`only ${sent} strangers asked in ${LONG} ms`);
  if (report.count === 0) return [`${name} gave nobody a lease beside ${STRANGERS} strangers a second.`];
  figures.add(name, 'strangersP50', report.p50);
  figures.add(name, 'strangersP99', report.p99);
  return [];
}

function rateOf({ count, elapsed }: GeneratorReport): number {
  return (count / elapsed) * 1000;
}
