import { setTimeout as pause } from 'node:timers/promises';
import { VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { KubeClient } from '@groundcrew/controller-runtime';
import { clusterAccess } from '@groundcrew/controller-runtime/kubeconfig';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { type FleetServer, startFleetServer } from '../../harness/fleet-server.ts';
import { startLargeFleet } from '../../e2e/web/large-fleet.ts';
import { memoryOf, processorTimeOf } from '../facts.ts';
import { Figures, type Options, type Progress, type Row, type Section } from '../measurement.ts';
import { addMachines, NAMESPACE } from './machines.ts';

const SIZES = '1000,10000';
/** ms until V8 has collected what the lists have left. */
const SETTLED = 30_000;
/** Seconds for which processor time is counted. */
const TIME = 20;
/** Changes in a second. */
const RATE = 10;

const ROWS = {
  first: { what: 'from the opened page to its first status', unit: 'ms' },
  memory: { what: 'resident memory, half a minute later', unit: 'MB' },
  idle: { what: 'processor time in a second without changes', unit: 'ms' },
  busy: { what: `processor time in a second in which ${RATE} BMCs change`, unit: 'ms' },
  after: { what: 'resident memory, half a minute after 200 changes', unit: 'MB' },
} as const satisfies Record<string, Row>;

/** Measures `groundcrew web` with one browser. Option: `--bmcs=1000,10000`, sizes of the cluster. */
export async function measureFleetPage(progress: Progress, { bmcs = SIZES }: Options): Promise<Section> {
  const figures = new Figures(ROWS);
  for (const size of bmcs.split(',').map(Number)) await measureSize(size, figures, progress);
  return { title: 'Page of a cluster', introduction: INTRODUCTION, inputs: [], measurements: figures.measurements() };
}

async function measureSize(size: number, figures: Figures<keyof typeof ROWS>, progress: Progress): Promise<void> {
  const subject = `${size.toLocaleString('en')} BMCs`;
  progress(`making ${subject}`);
  await using parts = new AsyncDisposableStack();
  const fleet = await startLargeFleet(size);
  parts.defer(() => fleet.close());
  const transport = undiciTransport(await clusterAccess(fleet.kubeconfig));
  const client = new KubeClient({ transport, fieldManager: 'bench' });
  parts.defer(() => client.close());
  await addMachines(client, size);
  const server = await startFleetServer(fleet.kubeconfig);
  parts.defer(() => server.stop());
  progress(`measuring ${subject}`);
  const browser = await openPage(server);
  parts.defer(() => {
    browser.close();
  });
  figures.add(subject, 'first', browser.first);
  await pause(SETTLED);
  figures.add(subject, 'memory', memoryOf(server.pid));
  figures.add(subject, 'idle', await spent(server, () => pause(TIME * 1000)));
  const change = async (): Promise<void> => {
    for (let count = 0; count < TIME * RATE; count += 1) {
      const status = { endpoints: { ipmi: `10.0.1.${count % 256}:623` } };
      const ref = { namespace: NAMESPACE, name: `vm-${1 + ((count * 7919) % size)}` };
      await client.patch(VIRTUAL_MACHINE_BMCS, ref, 'merge', { status }, { subresource: 'status' });
      await pause(1000 / RATE);
    }
  };
  const before = browser.changes;
  figures.add(subject, 'busy', await spent(server, change));
  progress(`${browser.changes - before} changes were told`);
  await pause(SETTLED);
  figures.add(subject, 'after', memoryOf(server.pid));
}

/** Processor time in a second, ms. */
async function spent({ pid }: FleetServer, work: () => Promise<void>): Promise<number> {
  const [time, began] = [processorTimeOf(pid), performance.now()];
  await work();
  return ((processorTimeOf(pid) - time) * 1000) / (performance.now() - began);
}

/** What a browser asks for. */
async function openPage(server: FleetServer): Promise<{ first: number; readonly changes: number; close(): void }> {
  const { origin, hash } = new URL(server.link());
  const session = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ key: hash.replace('#key=', '') }),
  });
  const cookie = session.headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; ');
  const began = performance.now();
  const stop = new AbortController();
  const { body } = await fetch(`${origin}/api/changes`, { headers: { cookie }, signal: stop.signal });
  if (body === null) throw new Error('groundcrew web sends nothing');
  const page = {
    first: 0,
    changes: 0,
    close: () => {
      stop.abort();
    },
  };
  const text = body.pipeThrough(new TextDecoderStream());
  const reader = text.getReader();
  /** @returns whether there is more */
  const read = async (): Promise<boolean> => {
    const { value = '', done } = await reader.read();
    page.changes += value.split('event: change').length - 1;
    if (page.first === 0 && value.endsWith('\n\n') && value.length > 0) page.first = performance.now() - began;
    return !done;
  };
  while (page.first === 0 && (await read()));
  void (async () => {
    while (await read());
  })().catch(() => undefined);
  return page;
}

const INTRODUCTION = [
  '- `groundcrew web` at the embedded API server, and a client that reads the events as a browser does. Each BMC has a running virtual machine,',
  '  a Service, an Event, and a Deployment and a pod of an agent. Processor time and memory are those of the command. A change is one of a',
  "  BMC's status.",
];
