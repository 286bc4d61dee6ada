import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { BMC_FINALIZER, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { SECRETS } from '@groundcrew/controller-runtime';
import { configurationName } from '../../../manager/admission/index.ts';
import { freePorts } from '../../harness/free-port.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { installMultus } from '../../harness/multus.ts';
import { requestCounts, type RequestCounts } from '../../harness/request-counts.ts';
import { removeConfigurations } from '../admission-server/running-admission.ts';

const c = await cluster();

/** BMCs that are created at the same time. */
const WRITERS = 16;
/** Milliseconds without a request after which the manager has nothing to do. */
const QUIET = 1500;
const TIMEOUT = 180_000;

beforeAll(async () => {
  await c.standIns({ parts: ['kubevirt'] });
  // The manager asks every 10 s for a kind that is not there.
  await installMultus(c.client);
});

type Placement = 'Dedicated' | 'Shared';

/** A VM and a Secret for each BMC. */
async function prepare(namespace: string, name: string): Promise<void> {
  const metadata = { namespace, name };
  await c.client.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata,
    stringData: { username: 'admin', password: 'secret' },
  });
  await c.client.create(VIRTUAL_MACHINES, {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata,
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
  spec: { virtualMachineRef: { name }, authSecretRef: { name }, placement },
});

/** Resolves when the webhook of the manager gives new BMCs their finalizer. */
async function untilFinalizing(namespace: string, placement: Placement): Promise<void> {
  const path = `/apis/bmc.kubevirt.io/v1beta1/namespaces/${namespace}/virtualmachinebmcs?dryRun=All`;
  await eventually(async () => {
    const { body } = await c.http('POST', path, { body: bmcOf(namespace, placement, 'tried') });
    expect(body).toMatchObject({ metadata: { finalizers: [BMC_FINALIZER] } });
  });
}

const totalOf = ({ reads, writes }: RequestCounts): number => reads + writes;

/** The counts when all BMCs have a complete status and the manager has sent nothing for a while. */
async function quiet(namespace: string, metrics: string): Promise<RequestCounts> {
  return await eventually(
    async () => {
      const before = await requestCounts(metrics);
      const { items } = await c.client.list(VIRTUAL_MACHINE_BMCS, { namespace });
      for (const { metadata, status } of items) expect(status?.observedGeneration).toBe(metadata.generation);
      await new Promise((resolve) => setTimeout(resolve, QUIET));
      const counts = await requestCounts(metrics);
      expect(totalOf(counts)).toBe(totalOf(before));
      return counts;
    },
    { timeout: TIMEOUT },
  );
}

it.each([
  ['Dedicated', 100, { writes: 7.5, reads: 1.5, change: 4 }],
  // Its Service, certificate and status. Its agent's writes are for all BMCs that have come since the last: on a slow machine for few.
  ['Shared', 100, { writes: 4, reads: 2, change: 4 }],
  // Real servers would take a minute.
  ...(inject('server') === 'embedded' ? [['Shared', 1_000, { writes: 4, reads: 2, change: 4 }] as const] : []),
] as const)(
  'a BMC of placement %s, one of %i, costs the API server no more than it did, and nothing without a change',
  { timeout: 2 * TIMEOUT },
  async (placement, count, limit) => {
    const namespace = await c.namespace();
    const empty = await c.manager({ watchNamespaces: [namespace] });
    const base = await quiet(namespace, empty.metrics);
    await empty.stop();
    const options = { namespace: empty.namespace, watchNamespaces: [namespace] };

    const names = Array.from({ length: count }, (_, at) => `vm-${at}`);
    await Promise.all(['first', ...names].map((name) => prepare(namespace, name)));
    await c.client.create(VIRTUAL_MACHINE_BMCS, bmcOf(namespace, placement, 'first'));
    const [port = 0] = await freePorts(1);
    const first = await c.manager({ ...options, args: [`--admission-address=127.0.0.1:${port}`] });
    onTestFinished(() => removeConfigurations(c.client, configurationName(first.namespace)));
    await untilFinalizing(namespace, placement);
    const begun = await quiet(namespace, first.metrics);
    const pending = names.values();
    const creates = async (): Promise<void> => {
      for (const name of pending) await c.client.create(VIRTUAL_MACHINE_BMCS, bmcOf(namespace, placement, name));
    };
    await Promise.all(Array.from({ length: WRITERS }, creates));
    const made = await quiet(namespace, first.metrics);
    const each = { writes: (made.writes - begun.writes) / count, reads: (made.reads - begun.reads) / count };
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
      `${placement}, ${count}: for each BMC`,
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
