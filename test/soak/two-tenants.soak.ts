import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import {
  IP_LEASES,
  IP_POOLS,
  NETWORK_ATTACHMENT_DEFINITIONS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
} from '../../api/index.ts';
import {
  DEPLOYMENTS,
  ROLE_BINDINGS,
  ROLES,
  SECRETS,
  SERVICE_ACCOUNTS,
  SERVICES,
  type Kind,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { cluster, COLLECTED, eventually, type RunningManager } from '../harness/index.ts';
import { restoreWithoutStatus } from '../harness/scenes/backup.ts';
import { startFileServer } from '../harness/scenes/file-server.ts';
import { TenancyScene } from '../suites/accounts/tenancy-scene.ts';
import { expectNoEffect, tenancyTable } from '../suites/accounts/tenancy-table.ts';
import { anImage, requester } from '../suites/media/media-scene.ts';
import { TestAgent } from '../suites/power/test-agent.ts';

/**
 * One tenant tries everything in the tenancy table against another one, again and again, while the BMC of its VM serves boot overrides,
 * virtual media and power actions, its agent is killed between any two requests, the manager is killed, and the BMC is restored without
 * status. There must be no difference at the end of each round: the other tenant's objects, and the VM, are as they were.
 *
 * `SOAK_MINUTES=15 npx vitest run --project=soak`
 */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 15);

const world = await cluster();
const scene = await TenancyScene.in(world);
const { client, mine, theirs, inMine } = scene;
const images = await startFileServer(Buffer.alloc(300_000, 'groundcrew'));
const VM = inMine('other');
const BMC = inMine('other-bmc');

/** What users write; a status and the bookkeeping of the API server may change. */
type Content = Record<string, unknown>;

const NAMESPACED = [
  ...[VIRTUAL_MACHINES, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_NETWORK_CONFIGS, IP_POOLS, IP_LEASES],
  ...[NETWORK_ATTACHMENT_DEFINITIONS, DEPLOYMENTS, SERVICES, SECRETS, SERVICE_ACCOUNTS, ROLES, ROLE_BINDINGS],
] as readonly Kind<KubeObject>[];

async function contentOf(namespace: string): Promise<Content> {
  const content: Content = {};
  for (const kind of NAMESPACED) {
    for (const object of (await client.list(kind, { namespace })).items) {
      const { metadata, status: _, ...rest } = object as KubeObject & { status?: unknown };
      const { name, uid, labels, annotations, finalizers, ownerReferences } = metadata;
      content[`${kind.kind} ${name}`] = { uid, labels, annotations, finalizers, ownerReferences, ...rest };
    }
  }
  return content;
}

/** Resolves when the manager has created everything. */
async function settledContentOf(namespace: string): Promise<Content> {
  return await eventually(
    async () => {
      const content = await contentOf(namespace);
      await sleep(3000);
      expect(await contentOf(namespace)).toEqual(content);
      return content;
    },
    { timeout: 60_000 },
  );
}

/** Deletes what the attempts have created in `mine`. */
async function deleteTraces(before: Content): Promise<void> {
  const kinds = [VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINE_NETWORK_CONFIGS, IP_POOLS, SERVICE_ACCOUNTS];
  for (const kind of kinds as readonly Kind<KubeObject>[]) {
    for (const { metadata } of (await client.list(kind, { namespace: mine })).items)
      if (!(`${kind.kind} ${metadata.name}` in before)) await client.delete(kind, metadata);
  }
  await eventually(async () => {
    const left = Object.keys(await contentOf(mine)).filter((key) => !(key in before));
    expect(left.filter((key) => !key.startsWith('Secret'))).toEqual([]);
  }, COLLECTED);
}

const pick = <T>(list: readonly T[]): T => list[randomInt(list.length)] ?? expect.fail('the list is empty');

/** What clients of a BMC do. A refusal is right in some states of the machine. */
const ACTIONS: readonly ((agent: TestAgent) => Promise<unknown>)[] = [
  ...(['Pxe', 'Hdd', 'Cd'] as const).flatMap((device) =>
    (['Once', 'Continuous'] as const).map(
      (persistence) => (agent: TestAgent) => agent.machine.setBootOverride({ device, persistence }, requester),
    ),
  ),
  (agent) => agent.machine.setBootOverride(undefined, requester),
  ...[1, 2].map(
    () => (agent: TestAgent) => agent.machine.media.insert('Cd', anImage(`${images.url}/a.iso`), requester),
  ),
  (agent) => agent.machine.media.eject('Cd', requester),
  ...(['On', 'PowerCycle', 'ForceOff', 'GracefulRestart', 'ForceRestart', 'GracefulShutdown'] as const).map(
    (action) => (agent: TestAgent) => agent.machine.power(action, requester),
  ),
];

const count = { attempts: 0, actions: 0, agentsKilled: 0, managersKilled: 0, restored: 0, rounds: 0 };

/** The manager creates the account of a restored BMC again in its own time. */
async function startAgent(): Promise<TestAgent> {
  return await eventually(() => TestAgent.start(world, { bmc: BMC, allowsLoopback: true }), { timeout: 60_000 });
}

/** Some actions with an agent that is killed between two of its writes, or just works. */
async function useBmc(manager: RunningManager): Promise<void> {
  const agent = await startAgent();
  const dies = randomInt(3) > 0;
  if (dies) agent.transport.killAfter(randomInt(12), pick(['before', 'after']), (method) => method !== 'GET');
  for (let step = 0; step < 6 && !agent.transport.isDead; step++) {
    await pick(ACTIONS)(agent).catch(() => undefined);
    count.actions += 1;
  }
  if (agent.transport.isDead) count.agentsKilled += 1;
  await agent.kill();
  if (randomInt(4) === 0) {
    await manager.stop('SIGKILL');
    await manager.start();
    count.managersKilled += 1;
  }
  if (randomInt(4) === 0) {
    await restoreWithoutStatus(client, VIRTUAL_MACHINE_BMCS, BMC);
    count.restored += 1;
  }
}

/** Takes everything back as a client does, with an agent that lives, until the VM is as it was. */
async function takeBack(template: unknown): Promise<void> {
  const agent = await startAgent();
  await eventually(
    async () => {
      await agent.machine.power('ForceOff', requester);
      await agent.machine.setBootOverride(undefined, requester);
      await agent.machine.media.eject('Cd', requester);
      const vm = await client.get(VIRTUAL_MACHINES, VM);
      expect(vm.spec.template).toEqual(template);
      expect(Object.keys(vm.metadata.annotations ?? {}).filter((key) => key.startsWith('bmc.kubevirt.io/'))).toEqual(
        [],
      );
    },
    { timeout: 60_000, interval: 500 },
  );
  await agent.close();
}

it(`has no difference after ${MINUTES} minutes`, { timeout: (MINUTES + 5) * 60_000 }, async () => {
  const manager = await scene.setUp(['kubevirt', 'cdi', 'deployments']);
  const table = tenancyTable(scene);
  const { template } = (await client.get(VIRTUAL_MACHINES, VM)).spec;
  const [ours, others] = [await settledContentOf(mine), await settledContentOf(theirs)];
  const end = performance.now() + MINUTES * 60_000;
  while (performance.now() < end) {
    for (let done = 0; done < 8; done++, count.attempts++) {
      await expectNoEffect(scene, pick(table));
      await deleteTraces(ours);
    }
    for (let done = 0; done < 3; done++) await useBmc(manager);
    await takeBack(template);
    expect(await contentOf(theirs)).toEqual(others);
    count.rounds += 1;
    console.log(JSON.stringify(count));
  }
});
