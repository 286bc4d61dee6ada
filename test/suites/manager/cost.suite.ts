import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { CachedWatch, systemClock } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { BMC_CONDITIONS, BMC_FINALIZER, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { configurationName } from '../../../manager/admission/index.ts';
import { standInForAgents } from '../../harness/agent-pods.ts';
import { freePorts } from '../../harness/free-port.ts';
import { inTurn } from '../../harness/in-turn.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { requestCounts, type RequestCounts } from '../../harness/request-counts.ts';
import { removeConfigurations } from '../admission-server/running-admission.ts';

const c = await cluster();

/** BMCs that are created at the same time. */
const WRITERS = 16;
const FEW = 4;
/** Milliseconds without a request after which the manager has nothing to do. */
const QUIET = 1500;
const TIMEOUT = 180_000;

beforeAll(async () => {
  await c.standIns({ parts: ['kubevirt', 'deployments'] });
  // The manager asks every 10 s for a kind that is not there.
  await installMultus(c.client);
});

type Placement = 'Dedicated' | 'Shared';

async function createVirtualMachine(namespace: string, name: string): Promise<void> {
  await c.client.create(VIRTUAL_MACHINES, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { namespace, name },
    spec: {
      runStrategy: 'Manual',
      template: { spec: { domain: { memory: { guest: '64Mi' }, devices: {} } } },
    },
  });
}

const bmcOf = (namespace: string, placement: Placement, name: string) => ({
  apiVersion: 'bmc.kubevirt.io/v1beta1',
  kind: 'VirtualMachineBMC',
  metadata: { namespace, name },
  spec: { virtualMachineRef: { name }, placement },
});

/** Resolves when the webhook of the manager gives new BMCs their finalizer. */
async function untilFinalizing(namespace: string, placement: Placement): Promise<void> {
  const path = `/apis/bmc.kubevirt.io/v1beta1/namespaces/${namespace}/virtualmachinebmcs?dryRun=All`;
  await eventually(async () => {
    const { body } = await c.http('POST', path, { body: bmcOf(namespace, placement, 'tried') });
    expect(body).toMatchObject({ metadata: { finalizers: [BMC_FINALIZER] } });
  });
}

/** BMCs whose status has said that their agent has no pod yet: where its controllers are slow, that is one write more. */
function namesWithoutPod(namespace: string): ReadonlySet<string> {
  const names = new Set<string>();
  const stop = new AbortController();
  const ways = { client: c.client, clock: systemClock, logger: silentLogger };
  const bmcs = new CachedWatch({ ...ways, kind: VIRTUAL_MACHINE_BMCS, namespace });
  bmcs.subscribe(({ object: { metadata, status } }) => {
    const ready = status?.conditions?.find(({ type }) => type === BMC_CONDITIONS.agentReady);
    if (ready?.reason === 'AgentPending') names.add(metadata.name);
  });
  void bmcs.run(stop.signal);
  onTestFinished(() => {
    stop.abort();
  });
  return names;
}

/** Throws until an agent acts for the BMC. */
async function untilNamed(namespace: string, name: string): Promise<void> {
  const { status } = await c.client.get(VIRTUAL_MACHINE_BMCS, { namespace, name });
  expect(status?.agent?.name).toBeDefined();
}

const totalOf = ({ reads, writes }: RequestCounts): number => reads + writes;

/** The counts when all BMCs are Ready and the manager has sent nothing for a while. */
async function quiet(namespace: string, metrics: string): Promise<RequestCounts> {
  return await eventually(
    async () => {
      const before = await requestCounts(metrics);
      const { items } = await c.client.list(VIRTUAL_MACHINE_BMCS, { namespace });
      for (const { metadata, status } of items)
        expect(status).toMatchObject({ phase: 'Ready', observedGeneration: metadata.generation });
      await new Promise((resolve) => setTimeout(resolve, QUIET));
      const counts = await requestCounts(metrics);
      expect(totalOf(counts)).toBe(totalOf(before));
      return counts;
    },
    { timeout: TIMEOUT },
  );
}

/** The goals are for BMCs whose Secret a user has made. The manager makes one here: one write more. */
const MADE = 1;

it.each([
  ['Dedicated', 100, { writes: 9 + MADE, reads: 1.5, change: 4 }],
  // Its agent's writes are for all BMCs that have come since the last: on a slow machine for few.
  ['Shared', 100, { writes: 4 + MADE, reads: 2, change: 4 }],
  ['Shared', 1_000, { writes: 4 + MADE, reads: 2, change: 4 }],
] as const)(
  'a BMC of placement %s, one of %i, costs the API server no more than it did, and nothing without a change',
  { timeout: 2 * TIMEOUT },
  async (placement, count, limit) => {
    const namespace = await c.namespace();
    const empty = await c.manager({ watchNamespaces: [namespace] });
    const base = await quiet(namespace, empty.metrics);
    await empty.stop();
    const options = { namespace: empty.namespace, watchNamespaces: [namespace] };

    standInForAgents(c.client, namespace);
    const names = Array.from({ length: count }, (_, at) => `vm-${at}`);
    await inTurn(['first', ...names], WRITERS, (name) => createVirtualMachine(namespace, name));
    await c.client.create(VIRTUAL_MACHINE_BMCS, bmcOf(namespace, placement, 'first'));
    const [port = 0] = await freePorts(1);
    const first = await c.manager({ ...options, args: [`--admission-address=127.0.0.1:${port}`] });
    onTestFinished(() => removeConfigurations(c.client, configurationName(first.namespace)));
    await untilFinalizing(namespace, placement);
    const begun = await quiet(namespace, first.metrics);
    const late = namesWithoutPod(namespace);
    const isOwn = placement === 'Dedicated';
    await inTurn(names, isOwn ? FEW : WRITERS, async (name) => {
      await c.client.create(VIRTUAL_MACHINE_BMCS, bmcOf(namespace, placement, name));
      if (isOwn) await eventually(() => untilNamed(namespace, name));
    });
    const made = await quiet(namespace, first.metrics);
    const each = {
      writes: (made.writes - begun.writes - late.size) / count,
      reads: (made.reads - begun.reads) / count,
    };
    // All BMCs of a shared agent say once that it has no pods, 20 s after its start: hardly during both changes.
    const changed = [totalOf(made)];
    for (const rack of ['a', 'b']) {
      const spec = { service: { labels: { rack } } };
      await c.client.patch(VIRTUAL_MACHINE_BMCS, { namespace, name: 'vm-0' }, 'merge', { spec });
      changed.push(totalOf(await quiet(namespace, first.metrics)));
    }
    const [before = 0, between = 0, after = 0] = changed;
    const change = Math.min(between - before, after - between);
    await first.stop();

    const second = await c.manager(options);
    const again = await quiet(namespace, second.metrics);
    await second.stop();
    const restart = { writes: again.writes - base.writes, reads: (again.reads - base.reads) / count };
    console.log(
      `${placement}, ${count}, ${late.size} of them with late pods: for each BMC`,
      each,
      'for a change',
      change,
      'for each BMC of a restart',
      restart,
    );
    expect(each.writes).toBeLessThanOrEqual(limit.writes);
    expect(each.reads).toBeLessThanOrEqual(limit.reads);
    expect(change).toBeLessThanOrEqual(limit.change);
    // No more than that of a manager without a BMC.
    expect(restart.writes).toBeLessThanOrEqual(0);
    expect(restart.reads).toBeLessThanOrEqual(limit.reads);
  },
);
