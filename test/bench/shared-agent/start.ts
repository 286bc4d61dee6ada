import { setTimeout as pause } from 'node:timers/promises';
import { sharedAgentPorts } from '../../../api/index.ts';
import { rmcpPing } from '../../../protocols/ipmi/index.ts';
import { memoryOf, processorTimeOf } from '../facts.ts';
import { buildCommand } from '../image.ts';
import { Figures, OURS, type Progress, type Row, type Section } from '../measurement.ts';
import { type AgentProcess, SharedFleet } from './shared-fleet.ts';

const COUNTS = [1, 250, 1000];
const ROUNDS = 3;
/** ms of quiet before the memory is measured: it is given back after 20 s. */
const REST = 30_000;
/** ms to wait for a pong, and in total for each BMC. */
const [PING, SERVED] = [2_000, 60_000];

/** Measures how soon a shared agent serves its BMCs, after its start and after the other process was killed, and its memory. */
export async function measureSharedAgents(progress: Progress): Promise<Section> {
  const command = buildCommand();
  const figures = new Figures<string>(Object.fromEntries(COUNTS.flatMap((count) => Object.entries(rowsOf(count)))));
  for (const count of COUNTS) {
    progress(`${count} BMCs: creates them`);
    const fleet = await SharedFleet.create(count);
    try {
      for (let round = 1; round <= ROUNDS; round += 1) await measureRound(fleet, count, command, figures, progress);
    } finally {
      await fleet.close();
    }
  }
  return { title: 'Shared agents', introduction: INTRODUCTION, inputs: [], measurements: figures.measurements() };
}

const INTRODUCTION = [
  '- The agent as in the image, with an API server and the simulated KubeVirt in the client on the same two cores. All BMCs have',
  '  IPMI and Redfish with TLS. Served: the Services select the pod, and each BMC has answered a ping.',
  '- Taken over: from the SIGKILL of the acting process until the other serves, which includes 7 to 9.4 s until the lease has ended.',
];

function rowsOf(count: number): Record<string, Row> {
  const label = count === 1 ? '1 BMC' : `${count.toLocaleString('en')} BMCs`;
  return {
    [`${count} start`]: { what: `${label}: process start until all are served`, unit: 'ms', goal: 10_000 },
    [`${count} takeover`]: {
      what: `${label}: SIGKILL until all are served by the other process`,
      unit: 'ms',
      goal: 16_000,
    },
    [`${count} processor`]: { what: `${label}: processor time until then`, unit: 'ms' },
    [`${count} memory`]: {
      what: `${label}: resident memory at rest`,
      unit: 'MB',
      ...(count === 1000 ? { goal: 200 } : {}),
    },
    [`${count} standby`]: { what: `${label}: resident memory of the process that stands by`, unit: 'MB' },
  };
}

async function measureRound(
  fleet: SharedFleet,
  count: number,
  command: string,
  figures: Figures<string>,
  progress: Progress,
): Promise<void> {
  const [first, second] = [await fleet.agent(0, command), await fleet.agent(1, command)];
  const add = (figure: string, value: number): void => {
    progress(`${count} BMCs: ${figure} ${value.toFixed(0)}`);
    figures.add(OURS, `${count} ${figure}`, value);
  };
  const started = performance.now();
  first.process.start();
  await served(fleet, first, count);
  add('start', performance.now() - started);
  add('processor', processorTimeOf(pidOf(first)));
  await fleet.confirmed(count);
  second.process.start();
  await fleet.standsBy(second);
  await pause(REST);
  add('memory', memoryOf(pidOf(first)));
  add('standby', memoryOf(pidOf(second)));
  const killed = performance.now();
  await first.process.stop('SIGKILL');
  await served(fleet, second, count);
  add('takeover', performance.now() - killed);
  await second.process.stop('SIGTERM');
}

async function served(fleet: SharedFleet, agent: AgentProcess, count: number): Promise<void> {
  await fleet.selects(agent);
  const answers = async (slot: number): Promise<void> => {
    if (!(await rmcpPing(agent.address, sharedAgentPorts(slot).ipmi, PING)))
      throw new Error(`slot ${slot} does not answer`);
  };
  const slots = Array.from({ length: count }, (_, slot) => slot);
  await Promise.all(slots.map((slot) => agent.process.waitUntil(() => answers(slot), SERVED)));
}

function pidOf({ process }: AgentProcess): number {
  if (process.pid === undefined) throw new Error(`the process has ended:\n${process.logTail()}`);
  return process.pid;
}
