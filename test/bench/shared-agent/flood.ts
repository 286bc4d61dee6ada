import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sharedAgentPorts } from '../../../api/index.ts';
import { processorTimeOf } from '../facts.ts';
import { buildCommand } from '../image.ts';
import { Figures, median, OURS, type Progress, type Row, type Section } from '../measurement.ts';
import type { FloodTask } from './flood-program.ts';
import type { ProbeReport, ProbeTask } from './probe-program.ts';
import { CREDENTIALS, SharedFleet } from './shared-fleet.ts';

const BMCS = 500;
const ROUNDS = 5;
/** ms. The flooded BMC uses its burst up before the phase is measured. */
const PHASE = 10_000;
const SETTLING = 5_000;
const FLOODED = 0;

const PHASES = ['idle', 'flooded'] as const;
type Phase = (typeof PHASES)[number];
type Protocol = keyof ProbeReport;

const ROWS = {
  'idle ipmi': { what: 'IPMI, the other BMCs, none is flooded: p99', unit: 'ms' },
  'flooded ipmi': { what: 'IPMI, the other BMCs, one is flooded: p99', unit: 'ms' },
  'idle redfish': { what: 'Redfish, the other BMCs, none is flooded: p99', unit: 'ms' },
  'flooded redfish': { what: 'Redfish, the other BMCs, one is flooded: p99', unit: 'ms' },
  'idle processor': { what: "agent's processor time in 10 s, none is flooded", unit: 'ms' },
  'flooded processor': { what: "agent's processor time in 10 s, one is flooded", unit: 'ms' },
} as const satisfies Record<string, Row>;

/** Measures how much a flood of one BMC slows the other 499 of its agent. */
export async function measureFlood(progress: Progress): Promise<Section> {
  const command = buildCommand();
  progress(`${BMCS} BMCs: creates them`);
  const fleet = await SharedFleet.create(BMCS);
  const figures = new Figures(ROWS);
  const ratios: Record<Protocol, number[]> = { ipmi: [], redfish: [] };
  let probe: ChildProcess | undefined;
  try {
    await fleet.powerOn(FLOODED);
    const agent = await fleet.agent(0, command);
    agent.process.start();
    await fleet.selects(agent);
    await fleet.confirmed(BMCS);
    const ports = Array.from({ length: BMCS }, (_, slot) => sharedAgentPorts(slot).ipmi);
    progress('the probe logs in to all but one');
    const started = await startProbe({ host: agent.address, ports: ports.toSpliced(FLOODED, 1), ...CREDENTIALS });
    probe = started;
    for (let round = 1; round <= ROUNDS; round += 1) {
      const reports = {} as Record<Phase, ProbeReport>;
      // In turn forwards and backwards, so that a drift of the machine favours no phase.
      for (const phase of round % 2 === 1 ? PHASES : PHASES.toReversed()) {
        const flood =
          phase === 'flooded'
            ? startFlood({ host: agent.address, port: ports[FLOODED] ?? 0, ...CREDENTIALS })
            : undefined;
        await pause(SETTLING);
        const before = processorTimeOf(agent.process.pid ?? 0);
        started.send('begin');
        await pause(PHASE);
        started.send('report');
        const [report] = (await once(started, 'message')) as [ProbeReport];
        figures.add(OURS, `${phase} processor`, processorTimeOf(agent.process.pid ?? 0) - before);
        flood?.kill('SIGKILL');
        reports[phase] = report;
        for (const protocol of ['ipmi', 'redfish'] as const)
          figures.add(OURS, `${phase} ${protocol}`, report[protocol].p99);
        progress(`round ${round} of ${ROUNDS}, ${phase}: ${JSON.stringify(report)}`);
      }
      for (const protocol of ['ipmi', 'redfish'] as const)
        ratios[protocol].push(reports.flooded[protocol].p99 / reports.idle[protocol].p99);
    }
  } finally {
    probe?.kill('SIGKILL');
    await fleet.close();
  }
  const ratio = (protocol: Protocol): string => {
    const values = ratios[protocol];
    const [least, middle, most] = [Math.min(...values), median(values), Math.max(...values)].map((each) =>
      each.toFixed(2),
    );
    return `${middle} × of idle (${least} to ${most} in ${values.length} rounds; goal: at most 2)`;
  };
  return {
    title: 'One of 500 BMCs of a shared agent is flooded',
    introduction: INTRODUCTION,
    inputs: [`p99 of the others by IPMI: ${ratio('ipmi')}.`, `p99 of the others by Redfish: ${ratio('redfish')}.`],
    measurements: figures.measurements(),
  };
}

const INTRODUCTION = [
  '- The agent as in the image, with an API server and the simulated KubeVirt in the client on the same two cores. A probe asks the',
  '  499 others in turn: 200 requests for the chassis status per second, each in an open session, and 100 requests for the system',
  '  per second, each on an open connection. The flood: 4,000 log-ins by IPMI per second that are begun and left, 8 IPMI clients that',
  '  log in and out without a pause, half of them with a wrong password, 32 Redfish clients that send the next request after each answer,',
  '  half of them with a wrong password and half of either on a new connection, and a console whose output is not acknowledged. Its program',
  '  has the lowest priority of the machine: what it costs itself is not measured.',
];

async function startProbe(task: ProbeTask): Promise<ChildProcess> {
  const probe = fork(join(import.meta.dirname, 'probe-program.ts'));
  probe.send(task);
  const [first] = (await once(probe, 'message')) as [unknown];
  if (first !== 'ready') throw new Error(`the probe has said ${JSON.stringify(first)}`);
  return probe;
}

function startFlood(task: FloodTask): ChildProcess {
  const program = join(import.meta.dirname, 'flood-program.ts');
  return spawn('nice', ['-n', '19', process.execPath, program, JSON.stringify(task)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
