import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { memoryOf, processorTimeOf, socketsOf, versionOf } from '../facts.ts';
import { Figures, type Progress, type Row, type Section } from '../measurement.ts';
import { startOurs, type Contender } from './contender.ts';
import type { LoadReport, LoadTask } from './load-program.ts';
import { startSushyTools } from './sushy-tools.ts';

const PROGRAM = join(import.meta.dirname, 'load-program.ts');
const ROUNDS = 3;
/** ms */
const WARM_UP = 1_500;
const DURATION = 4_000;
const ENDURANCE_TIMEOUT = 300_000;
const UNLIMITED = 1e9;

const ROWS = {
  start: { what: 'process start to first answer', unit: 'ms', goal: 1_000 },
  rate1: { what: 'GET of a System, 1 connection', unit: '/s' },
  p99of1: { what: 'GET of a System, 1 connection: time of one, p99', unit: 'ms' },
  rate16: { what: 'GET of a System, 16 connections', unit: '/s', goal: 2_000 },
  p99of16: { what: 'GET of a System, 16 connections: time of one, p99', unit: 'ms', goal: 30 },
  cpu16: { what: "GET of a System, 16 connections: server's processor time of one", unit: 'µs' },
  idle: { what: 'resident memory before all that', unit: 'MB' },
  memory: { what: 'resident memory after 100,000 requests (sushy-tools: 2,000)', unit: 'MB', goal: 150 },
  socketsBefore: { what: 'sockets before those', unit: 'sockets' },
  sockets: { what: 'sockets after those', unit: 'sockets' },
} as const satisfies Record<string, Row>;

/** Measures Redfish over TLS, with a user name and a password in each request. */
export async function measureRedfish(progress: Progress): Promise<Section> {
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
    inputs: versionOf('python3', '--version'),
    measurements: figures.measurements(),
  };
}

async function visit(contender: Contender, figures: Figures<keyof typeof ROWS>): Promise<void> {
  const { name } = contender;
  figures.add(name, 'start', await contender.restart());
  figures.add(name, 'idle', memoryOf(contender.pid));
  await load(contender, { connections: 16, duration: WARM_UP });
  const one = await load(contender, { connections: 1 });
  figures.add(name, 'rate1', rateOf(one));
  figures.add(name, 'p99of1', one.p99);
  const before = processorTimeOf(contender.pid);
  const many = await load(contender, { connections: 16 });
  figures.add(name, 'cpu16', ((processorTimeOf(contender.pid) - before) * 1000) / many.count);
  figures.add(name, 'rate16', rateOf(many));
  figures.add(name, 'p99of16', many.p99);
  figures.add(name, 'socketsBefore', socketsOf(contender.pid));
  await load(contender, { connections: 16, duration: ENDURANCE_TIMEOUT, most: contender.endurance });
  figures.add(name, 'sockets', socketsOf(contender.pid));
  figures.add(name, 'memory', memoryOf(contender.pid));
}

/** Reads the System repeatedly. */
export async function load(
  contender: Contender,
  task: Pick<LoadTask, 'connections'> & Partial<LoadTask>,
): Promise<LoadReport> {
  const { base, system, username, password } = contender;
  const whole: LoadTask = { url: `${base}${system}`, username, password, duration: DURATION, most: UNLIMITED, ...task };
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(whole)], {
    timeout: whole.duration + 20_000,
  });
  return JSON.parse(stdout) as LoadReport; // Written by the program.
}

function rateOf({ count, elapsed }: LoadReport): number {
  return (count / elapsed) * 1000;
}

const INTRODUCTION = [
  '- groundcrew: the agent as in the image, for a running virtual machine of the KubeVirt simulator. Its start includes',
  '  reading its certificate from the API server.',
  '- sushy-tools 2.2.0: its emulator with default settings, driver `fake`, one system; passwords are stored as bcrypt (cost 5).',
  '- Both over TLS with Basic authentication in each request and persistent connections. The client is one Node process of',
  '  ours on the same two cores, so a rate is that of client and server together.',
];
