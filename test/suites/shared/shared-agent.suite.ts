import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { credentialsSecretName, LABELS, sharedAgentPorts, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { LeadershipLostError, PODS } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { RedfishClient } from '../redfish/redfish-client.ts';
import { CountedConnections } from './counted-connections.ts';
import { SharedScene } from './shared-scene.ts';

const CHASSIS = 0x00;
const [STATUS, CONTROL] = [0x01, 0x02];
const POWER_ON = '01';
const [APP, SET_PASSWORD] = [0x06, 0x47];

const world = await cluster();
await world.standIns({ parts: ['kubevirt'] });

it.concurrent('serves its BMCs on ports of their own; adding, moving and removing one disturbs no other', async () => {
  const scene = await SharedScene.create(world, 2);
  const pod = await scene.start(0);
  await scene.selects(pod);
  await scene.confirmed();
  const session = await scene.session(pod, 0);
  const added = await scene.add(7);
  const moved = scene.machines[1];
  if (moved === undefined) expect.fail();
  await scene.place(moved, 5);
  await eventually(() => {
    const ports = [moved, added].map(({ bmc }) => pod.agent.bmcs.find(bmc)?.ipmiPort);
    expect(ports).toEqual([5, 7].map((slot) => sharedAgentPorts(slot).ipmi));
  });
  const others = await Promise.all([5, 7].map((slot) => scene.session(pod, slot)));
  for (const other of others) expect(await other.command(CHASSIS, STATUS)).toBe(0);
  await scene.list(added, null);
  await eventually(() => {
    expect(pod.agent.bmcs.find(added.bmc)).toBeUndefined();
  });
  expect(await session.command(CHASSIS, STATUS)).toBe(0);
  await session.close();
});

it.concurrent('opens as many watches for 20 BMCs as for 2, and no connection for each request that gets no answer', async ({
  onTestFinished,
}) => {
  const scene = await SharedScene.create(world, 2);
  const connections = await CountedConnections.start(world.server);
  onTestFinished(() => {
    connections.close();
  });
  const pod = await scene.start(0, { server: connections.server, most: 2 });
  await scene.confirmed();
  const few = [...pod.watches];
  await scene.addAll(Array.from({ length: 18 }, (_, index) => index + 2));
  await scene.confirmed();
  expect(few.map((path) => path.split('/').at(-1)).toSorted()).toEqual(
    expect.arrayContaining(['secrets', 'virtualmachinebmcs', 'virtualmachineinstances', 'virtualmachines']),
  );
  expect(pod.watches).toEqual(few);
  const sessions = await Promise.all(scene.machines.map((_, slot) => scene.session(pod, slot)));
  connections.stall();
  const answers = await Promise.all(sessions.map((session) => session.command(CHASSIS, CONTROL, POWER_ON)));
  expect(answers).not.toContain(0);
  const forRequests = connections.most - few.length;
  expect(forRequests).toBeGreaterThan(1);
  // Five times 2, those of eight reads that were given up, and that of the lease.
  expect(forRequests).toBeLessThanOrEqual(19);
  await Promise.all(sessions.map((session) => session.close()));
});

it.concurrent('serves a new BMC while the API server answers no write of the others', async () => {
  const scene = await SharedScene.create(world, 10);
  const pod = await scene.start(0);
  await scene.confirmed();
  const hanging = new Set<string>();
  pod.transport.hangs = (method, path) => {
    const hangs = method !== 'GET' && path.includes('/status');
    if (hangs) hanging.add(path);
    return hangs;
  };
  const spec = { service: { labels: { rack: 'a' } } };
  for (const { bmc } of scene.machines) await world.client.patch(VIRTUAL_MACHINE_BMCS, bmc, 'merge', { spec });
  await eventually(() => {
    expect(hanging.size).toBe(10);
  });
  const added = await scene.add(10);
  await eventually(() => {
    expect(pod.agent.bmcs.find(added.bmc)?.ipmiPort).toBeDefined();
  });
  pod.transport.resume();
  await scene.confirmed();
});

it.concurrent('tells a problem of one BMC in its status only, until it is solved', async () => {
  const scene = await SharedScene.create(world, 1);
  const pod = await scene.start(0);
  await scene.confirmed();
  const machine = await scene.add(1, { credentials: undefined });
  await eventually(
    async () => {
      const { status } = await machine.bmcObject();
      expect(status?.agent?.problem).toBe(`Secret ${machine.ref.name}-creds does not exist`);
      expect(status?.agent?.observedGeneration).toBeUndefined();
    },
    { timeout: 20_000 },
  );
  expect(pod.agent.unready).toBeUndefined();
  await scene.place(machine, 1);
  await scene.confirmed();
});

it.concurrent('has the other pod take over when the acting one is killed, also in the middle of a power action', async () => {
  const scene = await SharedScene.create(world, 2);
  const first = await scene.start(0);
  await scene.selects(first);
  const second = await scene.start(1);
  await scene.confirmed();
  const [machine] = scene.machines;
  if (machine === undefined) expect.fail();
  const session = await scene.session(first, 0);
  // The server carries the start out. Neither the client nor the agent hears of it.
  first.transport.killAfter(0, 'after', (_, path) => path.endsWith('/start'));
  await session.command(CHASSIS, CONTROL, POWER_ON);
  first.kill();
  const killed = performance.now();
  await scene.selects(second);
  expect((performance.now() - killed) / 1000).toBeLessThan(20);
  const vmi = await machine.running();
  const again = await scene.session(second, 0);
  expect(await again.command(CHASSIS, CONTROL, POWER_ON)).toBe(0);
  expect((await machine.running()).metadata.uid).toBe(vmi.metadata.uid);
  await scene.confirmed();
  await again.close();
});

it.concurrent('takes over the Services of a killed process before it has read the Secrets of its BMCs', async () => {
  const scene = await SharedScene.create(world, 1);
  const first = await scene.start(0);
  await scene.selects(first);
  const second = await scene.start(1);
  await scene.confirmed();
  second.transport.hangs = (method, path) => method === 'GET' && path.includes('/secrets/');
  let labelled = Infinity;
  second.transport.beforeWrite(
    (path) => path.includes('/pods/'),
    () => Promise.resolve(void (labelled = performance.now())),
  );
  first.kill();
  await eventually(
    () => {
      expect(second.agent.isLeading).toBe(true);
    },
    { timeout: 20_000 },
  );
  const led = performance.now();
  await scene.selects(second);
  // After a release it would wait for them for ten seconds.
  expect(labelled - led).toBeLessThan(8_000);
  second.transport.resume();
  await eventually(() => {
    expect(second.agent.bmcs.hasStarted).toBe(true);
  });
  await (await scene.session(second, 0)).close();
});

it.concurrent('restarts only the BMC whose client requests it', async () => {
  const scene = await SharedScene.create(world, 2);
  const pod = await scene.start(0);
  await scene.confirmed();
  const [one, other] = scene.machines;
  if (one === undefined || other === undefined) expect.fail();
  const [before, session] = [pod.agent.bmcs.find(one.bmc), await scene.session(pod, 1)];
  const client = new RedfishClient(sharedAgentPorts(0).redfish, scene.authority, 'bmc', pod.address);
  const uri = '/redfish/v1/Managers/1/Actions/Manager.Reset';
  const body = { ResetType: 'GracefulRestart' };
  expect((await client.ask(uri, { method: 'POST', login: 'admin:secret', body })).status).toBe(204);
  client.close();
  await eventually(() => {
    const now = pod.agent.bmcs.find(one.bmc);
    expect(now).not.toBe(before);
    expect(now?.ipmiPort).toBeDefined();
  });
  await (await scene.session(pod, 0)).close();
  expect(await session.command(CHASSIS, STATUS)).toBe(0);
  await session.close();
});

it.concurrent('hands over at SIGTERM at once; sessions that are open end in their own time', async () => {
  const scene = await SharedScene.create(world, 1);
  const [machine] = scene.machines;
  const first = await scene.start(0);
  await scene.selects(first);
  const second = await scene.start(1);
  await scene.confirmed();
  const session = await scene.session(first, 0);
  first.stop();
  await scene.selects(second);
  expect(await session.command(CHASSIS, CONTROL, POWER_ON)).toBe(0);
  await machine?.running();
  await session.close();
  expect(await first.ended).toBeUndefined();
});

it.concurrent('takes over with the password that a client has just changed, while no manager copies it', async () => {
  const scene = await SharedScene.create(world, 1);
  const [machine] = scene.machines;
  if (machine === undefined) expect.fail();
  await scene.generate(machine, 0);
  const first = await scene.start(0);
  await scene.selects(first);
  await scene.confirmed();
  const second = await scene.start(1);
  const session = await scene.session(first, 0);
  const password = Buffer.concat([Buffer.from('changed!'), Buffer.alloc(8)]).toString('hex');
  expect(await session.command(APP, SET_PASSWORD, `0202${password}`)).toBe(0);
  await session.close();
  second.transport.hangs = (method, path) =>
    method === 'GET' && path.endsWith(`/${credentialsSecretName(machine.bmc.name)}`);
  const ports: unknown[] = [];
  second.transport.beforeWrite(
    (path) => path.includes('/pods/'),
    () => Promise.resolve(void ports.push(second.agent.bmcs.find(machine.bmc)?.ipmiPort)),
  );
  first.stop();
  await eventually(() => {
    expect(second.agent.isLeading).toBe(true);
  });
  await setTimeout(200);
  second.transport.resume();
  await scene.selects(second);
  // The Services do not lead to it before it answers.
  expect(ports).toEqual([sharedAgentPorts(0).ipmi]);
  const again = await scene.session(second, 0, 'changed!');
  expect(await again.command(CHASSIS, STATUS)).toBe(0);
  await again.close();
  await expect(scene.session(second, 0, 'secret')).rejects.toThrow();
});

it.concurrent('ends when the other pod has taken the lease; until it knows, it only answers', async () => {
  const scene = await SharedScene.create(world, 1);
  const first = await scene.start(0);
  await scene.selects(first);
  await scene.confirmed();
  const session = await scene.session(first, 0);
  const second = await scene.start(1);
  first.transport.cut();
  await scene.selects(second);
  expect(await session.command(CHASSIS, CONTROL, POWER_ON)).not.toBe(0);
  first.transport.restore();
  expect(await first.ended).toBeInstanceOf(LeadershipLostError);
  expect(first.agent.bmcs.sessionCount).toBe(0);
  const { items } = await world.client.list(PODS, { namespace: scene.namespace });
  expect(items.map(({ metadata }) => metadata.labels?.[LABELS.acting])).toEqual([undefined, 'true']);
});

it.concurrent('goes on after an outage of the API server that outlasts the lease; sessions stay', async () => {
  const scene = await SharedScene.create(world, 1);
  const [machine] = scene.machines;
  const pod = await scene.start(0);
  await scene.selects(pod);
  await scene.confirmed();
  const session = await scene.session(pod, 0);
  pod.transport.cut();
  await eventually(() => {
    expect(pod.agent.isLeading).toBe(false);
  });
  expect(await session.command(CHASSIS, CONTROL, POWER_ON)).not.toBe(0);
  pod.transport.restore();
  await eventually(async () => {
    expect(await session.command(CHASSIS, CONTROL, POWER_ON)).toBe(0);
  });
  await machine?.running();
  await scene.confirmed();
  await session.close();
});
