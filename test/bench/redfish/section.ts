import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { factOf } from '../machine-facts.ts';
import { memoryOf, processorTimeOf, socketsOf } from '../process-facts.ts';
import type { Section } from '../section.ts';
import type { Contender } from './contender.ts';
import { Figures } from '../figures.ts';
import { ROWS, type Figure } from './rows.ts';
import { startOurs } from './ours.ts';
import type { LoadReport, LoadTask } from './programs/load-task.ts';
import { startSushyTools } from './sushy-tools.ts';

const PROGRAM = join(import.meta.dirname, 'programs/load.ts');
const ROUNDS = 3;
const MEGABYTE = 1e6;
/** ms */
const WARMING = 1_500;
const DURATION = 4_000;
const PATIENCE = 300_000;
const UNLIMITED = 1e9;

/** Redfish over TLS, each request with a user name and a password. */
export async function measureRedfish(progress: (line: string) => void): Promise<Section> {
  const contenders = [await startOurs(), await startSushyTools(progress)];
  const figures = new Figures(ROWS);
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      for (const contender of contenders) {
        progress(`round ${round} of ${ROUNDS}: ${contender.name}`);
        await visit(contender, figures);
      }
    }
  } finally {
    await Promise.all(contenders.map((contender) => contender.close()));
  }
  return {
    title: 'Redfish',
    introduction: INTRODUCTION,
    inputs: factOf('python3', '--version'),
    measurements: figures.measurements(),
  };
}

async function visit(contender: Contender, figures: Figures<Figure>): Promise<void> {
  const { name } = contender;
  figures.add(name, 'start', await contender.restart());
  figures.add(name, 'idle', memoryOf(contender.pid).resident / MEGABYTE);
  await load(contender, { connections: 16, duration: WARMING });
  const one = await load(contender, { connections: 1 });
  figures.add(name, 'rate1', rateOf(one));
  figures.add(name, 'p99of1', one.p99);
  const before = processorTimeOf(contender.pid);
  const many = await load(contender, { connections: 16 });
  figures.add(name, 'cpu16', ((processorTimeOf(contender.pid) - before) * 1000) / many.count);
  figures.add(name, 'rate16', rateOf(many));
  figures.add(name, 'p99of16', many.p99);
  figures.add(name, 'socketsBefore', socketsOf(contender.pid));
  await load(contender, { connections: 16, duration: PATIENCE, most: contender.endurance });
  figures.add(name, 'sockets', socketsOf(contender.pid));
  figures.add(name, 'memory', memoryOf(contender.pid).resident / MEGABYTE);
}

async function load(
  contender: Contender,
  task: Pick<LoadTask, 'connections'> & Partial<LoadTask>,
): Promise<LoadReport> {
  const { base, system, username, password } = contender;
  const whole: LoadTask = { url: `${base}${system}`, username, password, duration: DURATION, most: UNLIMITED, ...task };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(whole)], {
    timeout: whole.duration + 20_000,
  });
  return JSON.parse(stdout) as LoadReport; // the program's own form
}

function rateOf({ count, elapsed }: LoadReport): number {
  return (count / elapsed) * 1000;
}

const INTRODUCTION = [
  '- groundcrew: the agent as the image has it, for a running virtual machine of the KubeVirt simulator. Its start',
  '  includes the API server: it has its certificate from there.',
  '- sushy-tools 2.2.0: its emulator as it comes, driver `fake`, one system; passwords are kept as bcrypt (cost 5).',
  '- Both over TLS with Basic authentication in each request, connections kept open. The client is one Node process of',
  '  ours on the same two cores, so that a rate is that of both together.',
];
