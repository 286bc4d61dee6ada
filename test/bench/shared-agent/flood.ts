import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { sharedAgentPorts } from '../../../api/index.ts';
import { processorTimeOf } from '../facts.ts';
import { buildCommand } from '../image.ts';
import { Figures, median, type Options, OURS, type Progress, type Row, type Section } from '../measurement.ts';
import type { FloodTask } from './flood-program.ts';
import type { ProbeReport, ProbeTask, Protocol } from './probe-program.ts';
import { CREDENTIALS, SharedFleet } from './shared-fleet.ts';
import { StuckMachines } from './stuck-machines.ts';
import type { StuckTask } from './stuck-program.ts';

const BMCS = 500;
const ROUNDS = 5;
/** ms. The flooded BMC uses its burst up before the phase is measured. */
const PHASE = 10_000;
const SETTLING = 5_000;
/** BMCs whose backend does not answer while one is flooded, that one among them: more than a process has slots for requests. */
const STUCK = 40;
/** Others, whose machines are reset. */
const RESETS = 10;

const PHASES = { idle: 'none is flooded', flooded: 'one is flooded', stuck: 'one is flooded, 40 are stuck' } as const;
type Phase = keyof typeof PHASES;
const ORDER: readonly Phase[] = ['idle', 'flooded', 'stuck'];

const PROTOCOLS: Readonly<Record<Protocol, string>> = {
  ipmi: 'IPMI, the other BMCs',
  redfish: 'Redfish, the other BMCs',
  reset: 'reset by IPMI, ten of the others',
};
const ORDERED: readonly Protocol[] = ['ipmi', 'redfish', 'reset'];

const HELD = 'requests of the agent for the stuck machines that got no answer, in 15 s';
const ROWS = {
  ...rowsOf('ipmi', (phase) => `${PROTOCOLS.ipmi}, ${phase}: p99`),
  ...rowsOf('redfish', (phase) => `${PROTOCOLS.redfish}, ${phase}: p99`),
  ...rowsOf('reset', (phase) => `${PROTOCOLS.reset}, ${phase}: p99`),
  ...rowsOf('processor', (phase) => `agent's processor time in 10 s, ${phase}`),
  held: { what: HELD, unit: 'requests' },
} satisfies Record<string, Row>;

/** One row for each phase. */
function rowsOf<K extends string>(key: K, what: (phase: string) => string): Record<`${Phase} ${K}`, Row> {
  const rows = ORDER.map((phase) => [`${phase} ${key}`, { what: what(PHASES[phase]), unit: 'ms' }]);
  return Object.fromEntries(rows) as Record<`${Phase} ${K}`, Row>; // of all phases
}

/**
 * Measures how much a flood of one BMC, and others whose backend does not answer, slow the others of their agent. Options: `--bmcs=50`,
 * `--rounds=1`.
 */
export async function measureFlood(progress: Progress, options: Options): Promise<Section> {
  const count = Number(options['bmcs'] ?? BMCS);
  const rounds = Number(options['rounds'] ?? ROUNDS);
  const command = buildCommand();
  progress(`${count} BMCs: creates them`);
  const slots = Array.from({ length: count }, (_, slot) => slot);
  const [stuckOnes, others] = [slots.slice(0, STUCK), slots.slice(STUCK)];
  const resets = others.slice(0, RESETS);
  const stuck = new StuckMachines(stuckOnes.map((slot) => SharedFleet.machineOf(slot)));
  const fleet = await SharedFleet.create(count, { holds: stuck.holds });
  const figures = new Figures(ROWS);
  const reports: Record<Phase, ProbeReport[]> = { idle: [], flooded: [], stuck: [] };
  let probe: ChildProcess | undefined;
  try {
    for (const slot of [...stuckOnes, ...resets]) await fleet.powerOn(slot);
    const agent = await fleet.agent(0, command);
    agent.process.start();
    await fleet.selects(agent);
    await fleet.confirmed(count);
    const target = { host: agent.address, ...CREDENTIALS };
    progress('the probe logs in to the others');
    const started = await startProbe({ ...target, ports: portsOf(others), resets: portsOf(resets) });
    probe = started;
    for (let round = 1; round <= rounds; round += 1) {
      // In turn forwards and backwards, so that a drift of the machine favours no phase.
      for (const phase of round % 2 === 1 ? ORDER : ORDER.toReversed()) {
        const attacks = await startAttacks(phase, target, portsOf(stuckOnes), stuck);
        await pause(SETTLING);
        const before = processorTimeOf(agent.process.pid ?? 0);
        started.send('begin');
        await pause(PHASE);
        started.send('report');
        const [report] = (await once(started, 'message')) as [ProbeReport];
        figures.add(OURS, `${phase} processor`, processorTimeOf(agent.process.pid ?? 0) - before);
        for (const attack of attacks) progress(attack.end());
        if (phase === 'stuck') figures.add(OURS, 'held', stuck.end());
        reports[phase].push(report);
        for (const protocol of ORDERED) figures.add(OURS, `${phase} ${protocol}`, report[protocol].p99);
        progress(`round ${round} of ${rounds}, ${phase}: ${JSON.stringify(report)}`);
      }
    }
  } finally {
    probe?.kill('SIGKILL');
    await fleet.close();
  }
  const measurements = figures.measurements();
  if (measurements.some(({ what, values }) => what === HELD && Math.min(...values) === 0))
    throw new Error('no request was left without an answer: no backend was stuck');
  return {
    title: `One of ${count} BMCs of a shared agent is flooded`,
    introduction: INTRODUCTION,
    inputs: (['flooded', 'stuck'] as const).flatMap((phase) =>
      ORDERED.map((protocol) => `${PROTOCOLS[protocol]}, ${PHASES[phase]}: p99 ${ratioOf(reports, phase, protocol)}.`),
    ),
    measurements,
  };
}

function ratioOf(
  { idle, ...attacked }: Record<Phase, ProbeReport[]>,
  phase: 'flooded' | 'stuck',
  protocol: Protocol,
): string {
  const found = attacked[phase];
  const values = found.map((report, round) => report[protocol].p99 / (idle[round]?.[protocol].p99 ?? NaN));
  const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map((each) =>
    each.toFixed(2),
  );
  const errors = found.reduce((sum, report) => sum + report[protocol].errors, 0);
  return `${middle} × of idle (${least} to ${most} in ${values.length} rounds; goal: at most 2), ${errors} errors`;
}

const INTRODUCTION = [
  '- The agent as in the image, with an API server and the simulated KubeVirt in the client on the same two cores. A probe asks the',
  '  other BMCs in turn: 200 requests for the chassis status per second, each in an open session, and 100 requests for the system',
  '  per second, each on an open connection, which the agent answers from its caches. It also resets ten machines, each once a second,',
  '  for which the agent asks the API server and KubeVirt. The flood: 4,000 log-ins by IPMI per second that are begun and left, 8 IPMI',
  '  clients that log in and out without a pause, half of them with a wrong password, 32 Redfish clients that send the next request after',
  '  each answer, half of them with a wrong password and half of either on a new connection, and a console that prints and whose',
  '  output is not acknowledged. Then 40 machines are stuck besides, that of the flooded BMC among them: the API server leaves the',
  "  requests of the agent without an answer, for half of them all to the machine's node (reset, pause, console, picture), for the others all that name the",
  '  machine. At each of these BMCs two clients by IPMI and three by Redfish keep requesting power actions, and two pictures of the',
  '  screen. The programs of the attack have the lowest priority of the machine: what they cost themselves is not measured.',
];

function portsOf(slots: readonly number[]): number[] {
  return slots.map((slot) => sharedAgentPorts(slot).ipmi);
}

async function startProbe(task: ProbeTask): Promise<ChildProcess> {
  const probe = fork(join(import.meta.dirname, 'probe-program.ts'));
  probe.send(task);
  const [first] = (await once(probe, 'message')) as [unknown];
  if (first !== 'ready') throw new Error(`the probe has said ${JSON.stringify(first)}`);
  return probe;
}

interface Attack {
  /** @returns the last line that it has printed */
  end(): string;
}

/** @param ports of the stuck BMCs; the first is flooded, too */
async function startAttacks(
  phase: Phase,
  target: Omit<FloodTask, 'port'>,
  ports: readonly number[],
  stuck: StuckMachines,
): Promise<Attack[]> {
  if (phase === 'idle') return [];
  const [port = 0] = ports;
  // Its console is open before its machine is stuck.
  const flood = await startAttack('flood-program.ts', { ...target, port } satisfies FloodTask);
  if (phase === 'flooded') return [flood];
  stuck.begin();
  return [flood, await startAttack('stuck-program.ts', { ...target, ports } satisfies StuckTask)];
}

/** Resolves when the program has printed its first line. */
async function startAttack(program: string, task: object): Promise<Attack> {
  const args = ['-n', '19', process.execPath, join(import.meta.dirname, program), JSON.stringify(task)];
  const attack = spawn('nice', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let last = '';
  const lines = createInterface(attack.stdout).on('line', (line) => (last = line));
  await once(lines, 'line');
  return {
    end: () => {
      attack.kill('SIGKILL');
      return `${program}: ${last}`;
    },
  };
}
