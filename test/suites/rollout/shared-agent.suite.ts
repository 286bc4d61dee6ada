import { inject, expect, it, onTestFinished } from 'vitest';
import { sharedAgentName, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { TestMachine } from '../power/test-machine.ts';
import { openSession } from '../shared/shared-pod.ts';
import { SharedPods } from './shared-pods.ts';

const c = await cluster();
await c.standIns({ parts: ['kubevirt', 'deployments'], realDeployments: true });

const AGENT = sharedAgentName(0);
/** In the order in which a StatefulSet replaces its pods. */
const [FIRST, SECOND] = [`${AGENT}-1`, `${AGENT}-0`];
const [CHASSIS, STATUS] = [0x00, 0x01];
const PATIENCE = { timeout: 60_000 };

function optionsOf(namespace: string, image: string) {
  const args = [`--agent-image=${image}`, '--min-ready=0', '--bmc-placement=Shared'];
  return { watchNamespaces: [namespace], set: [`watchNamespaces={${namespace}}`], args };
}

/** Resolves when both pods have this image, one acts, and the BMC in slot 0 answers at the address of that one. */
async function untilServed(pods: SharedPods, image: string, acting: string): Promise<void> {
  await eventually(async () => {
    expect([pods.ready, pods.acting?.name]).toEqual([{ [SECOND]: image, [FIRST]: image }, acting]);
    const session = await openSession(pods.acting?.address ?? '', 0, { username: 'admin', password: 'secret' });
    expect(await session.command(CHASSIS, STATUS)).toBe(0);
    await session.close();
  }, PATIENCE);
}

/** As `kubectl drain` does. @returns the HTTP status */
async function evict(namespace: string, name: string): Promise<number> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace, name } };
  return (await c.http('POST', `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, { body })).status;
}

it(
  'the pods of a shared agent are replaced one after the other, and drained so, and the one that ends hands over',
  { timeout: 180_000 },
  async () => {
    const namespace = await c.namespace();
    const manager = await c.manager(optionsOf(namespace, 'agent:1'));
    const pods = new SharedPods(c, namespace);
    onTestFinished(() => pods.close());
    const machine = await TestMachine.create(c, namespace, 'web', 'Manual');
    await eventually(async () => {
      const { status } = await c.client.get(VIRTUAL_MACHINE_BMCS, machine.bmc);
      expect([status?.phase, status?.agent?.name]).toEqual(['Ready', AGENT]);
    }, PATIENCE);
    await untilServed(pods, 'agent:1', FIRST);

    await manager.stop('SIGTERM');
    pods.log.length = 0;
    await c.manager({ ...optionsOf(namespace, 'agent:2'), namespace: manager.namespace });
    await untilServed(pods, 'agent:2', FIRST);
    const replaced = (name: string, other: string): string[] => [
      ...[`${name} is deleted`, 'released', `${other} holds`, `${name} is ready with agent:2`],
    ];
    expect(pods.log).toEqual([...replaced(FIRST, SECOND), ...replaced(SECOND, FIRST)]);

    // The embedded server has no evictions.
    if (inject('server') === 'embedded') return;
    pods.log.length = 0;
    await eventually(async () => {
      expect(await evict(namespace, FIRST)).toBe(201);
    }, PATIENCE);
    expect(await evict(namespace, SECOND)).toBe(429);
    await untilServed(pods, 'agent:2', SECOND);
    expect(pods.log).toEqual(replaced(FIRST, SECOND));
    await eventually(async () => {
      expect(await evict(namespace, SECOND)).toBe(201);
    }, PATIENCE);
    await untilServed(pods, 'agent:2', FIRST);
  },
);
