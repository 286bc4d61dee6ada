import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ServerProcess } from '../../harness/process.ts';
import { OURS, type Measurement, type Options, type Progress, type Section } from '../measurement.ts';
import { startOurs } from '../redfish/contender.ts';
import { load } from '../redfish/section.ts';
import { memoryMapOf, type MemoryMap } from './memory-map.ts';
import { NodeProbe } from './node-probe.ts';
import { sharedFleet, type SharedFleet } from './shared-fleet.ts';

const SIZES = '1,100,1000';
/** ms until V8 has collected what the start has left. */
const SETTLED = 30_000;
/** Starts of a shared agent: without processor time it loses its lease and ends, as in a cluster. */
const STARTS = 4;
const ENDURANCE = 300_000;
/** Before the one that tells the parts: what a process has just used of Node's file differs by 10 MB from moment to moment. */
const BUSY_READINGS = 4;
const BETWEEN_READINGS = 5_000;

/** Node with the sockets of an agent, and nothing else. */
const SOCKETS = `
  require('node:https').createServer({}).listen(0);
  require('node:http').createServer().listen(0);
  require('node:dgram').createSocket('udp4').bind(0);
`;

/**
 * Measures where the memory of an agent goes. Options: `--sizes=1,100`, numbers of BMCs of a shared agent; `--agents=shared` leaves the
 * others out.
 */
export async function measureMemory(progress: Progress, { sizes = SIZES, agents }: Options): Promise<Section> {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-bench-memory-'));
  const probe = new NodeProbe(folder);
  try {
    const measurements: Measurement[] = [];
    if (agents !== 'shared') {
      measurements.push(
        ...(await bareNode(probe, folder, 'node alone', '')),
        ...(await bareNode(probe, folder, 'node with sockets', SOCKETS)),
        ...(await dedicatedAgent(probe, progress)),
      );
    }
    measurements.push(...(await sharedAgents(probe, sizes.split(',').map(Number), progress)));
    return { title: 'Memory of a BMC agent', introduction: INTRODUCTION, inputs: [], measurements };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function bareNode(probe: NodeProbe, folder: string, what: string, program: string): Promise<Measurement[]> {
  const { options, env } = probe.node;
  const server = new ServerProcess({
    command: process.execPath,
    args: [...options, '--eval', `${program} setInterval(() => undefined, 1e6);`],
    env: { ...env },
    log: join(folder, 'log'),
  });
  server.start();
  try {
    await pause(2_000);
    return await stage(probe, server.pid ?? 0, what, 'Node.js');
  } finally {
    await server.dispose();
  }
}

async function dedicatedAgent(probe: NodeProbe, progress: Progress): Promise<Measurement[]> {
  progress('a dedicated agent');
  const agent = await startOurs(probe.node);
  try {
    await pause(SETTLED);
    const idle = await stage(probe, agent.pid, 'agent, idle with TLS up', OURS, 50);
    const totals: number[] = [];
    for (let most = agent.endurance; totals.length < BUSY_READINGS; most = BETWEEN_READINGS) {
      await load(agent, { connections: 16, duration: ENDURANCE, most });
      totals.push(memoryMapOf(agent.pid).total);
    }
    await load(agent, { connections: 16, duration: ENDURANCE, most: BETWEEN_READINGS });
    const [last, ...parts] = await stage(probe, agent.pid, 'agent, right after 100,000 requests', OURS, 60);
    await pause(SETTLED);
    const later = await stage(probe, agent.pid, 'agent, half a minute later', OURS, 60);
    return [...idle, { ...last, values: [...totals, ...last.values] }, ...parts, ...later];
  } finally {
    await agent.close();
  }
}

/** Memory of a process at one moment, MB. */
interface Reading extends MemoryMap {
  /** V8's heap, and what is used of it. */
  heap: number;
  used: number;
}

async function readingOf(probe: NodeProbe, pid: number): Promise<Reading> {
  const map = memoryMapOf(pid);
  const { heapTotal, heapUsed } = await probe.read(pid);
  return { ...map, heap: heapTotal / 1e6, used: heapUsed / 1e6 };
}

/** The rows of one moment. */
async function stage(
  probe: NodeProbe,
  pid: number,
  what: string,
  server: string,
  goal?: number,
): Promise<[whole: Measurement, ...parts: Measurement[]]> {
  return stageRows(await readingOf(probe, pid), what, server, goal);
}

function stageRows(
  { total, files, allocator, rest, heap }: Reading,
  what: string,
  server: string,
  goal?: number,
): [whole: Measurement, ...parts: Measurement[]] {
  const row = (part: string, value: number): Measurement => ({
    what: part === '' ? what : `${what}: ${part}`,
    server,
    unit: 'MB',
    values: [value],
  });
  return [
    { ...row('', total), ...(goal === undefined ? {} : { goal }) },
    row('of it pages of Node and its libraries, shared', files),
    row("of it V8's heap", heap),
    row('of it the C library: OpenSSL, sockets, buffers', allocator),
    row('of it the rest: compiled code, stacks, allocators', rest - heap),
  ];
}

/** Of an agent with this number of BMCs. */
type SharedReading = Reading & { size: number };

const MET = 'after a client at each BMC';

async function sharedAgents(
  probe: NodeProbe,
  sizes: readonly number[],
  progress: Progress,
): Promise<readonly Measurement[]> {
  const rows: Measurement[] = [];
  const smallest = new Map<string, SharedReading>();
  for (const size of sizes) {
    progress(`a shared agent with ${size} BMCs`);
    const fleet = await sharedFleet(size, probe.node);
    try {
      const pid = await settledAgent(fleet);
      const read = async (moment: string): Promise<void> => {
        const what = `shared agent with ${size} BMCs, ${moment}`;
        const now = { size, ...(await readingOf(probe, pid)) };
        rows.push(...stageRows(now, what, OURS, size === 1000 ? 200 : undefined));
        rows.push(...furtherRows(what, now, smallest.get(moment)));
        if (!smallest.has(moment)) smallest.set(moment, now);
        progress(`${what}: ${now.total.toFixed(1)} MB, ${now.used.toFixed(1)} MB of V8's heap`);
      };
      await read('idle');
      await fleet.meet();
      await pause(SETTLED);
      await read(MET);
    } finally {
      await fleet.close();
    }
  }
  return rows;
}

/** @param first of the smallest agent */
function furtherRows(
  what: string,
  { size, total, used }: SharedReading,
  first: SharedReading | undefined,
): Measurement[] {
  const row = (part: string, unit: 'MB' | 'kB', value: number): Measurement => ({
    what: `${what}: ${part}`,
    server: OURS,
    unit,
    values: [value],
  });
  const rows = [row("used of V8's heap", 'MB', used)];
  if (first === undefined) return rows;
  const further = (then: number, now: number): number => ((now - then) * 1000) / (size - first.size);
  return [
    ...rows,
    { ...row('for each further BMC', 'kB', further(first.total, total)), goal: 100 },
    row("used of V8's heap for each further BMC", 'kB', further(first.used, used)),
  ];
}

/** @returns its process ID @throws Error if it ends again and again */
async function settledAgent(fleet: SharedFleet): Promise<number> {
  for (let starts = 0; starts < STARTS; starts += 1) {
    await fleet.start();
    await pause(SETTLED);
    const { pid } = fleet.process;
    if (pid !== undefined) return pid;
  }
  throw new Error(`the shared agent has ended:\n${fleet.process.logTail()}`);
}

const INTRODUCTION = [
  "- Resident memory from /proc/<pid>/smaps; V8's heap from `process.memoryUsage()`. All with the options and the",
  '  environment of the image. No collection is forced.',
  '- Pages of Node and its libraries are files: the processes of a node share them, and the kernel can drop them. Everything',
  '  else is memory of the process alone.',
  '- node with sockets: `node --eval` with one HTTPS, one HTTP and one UDP server, as an agent has them.',
  '- agent: a BMC with IPMI and Redfish over TLS. Requests are GETs of a System over 16 connections. Its whole memory is read five',
  '  times, after 100,000 requests and each time after 5,000 more; its parts are of the last time.',
  '- shared agent: each BMC has a running VM, its own IPMI and Redfish ports, and its own certificate and Secret as the manager makes',
  '  them; idle half a minute after the start. Then a client logs in to each BMC by IPMI and by Redfish, reads the power state, and logs',
  '  out; read half a minute after the last.',
];
