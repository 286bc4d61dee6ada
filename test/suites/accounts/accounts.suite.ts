import { afterAll, describe, expect, it } from 'vitest';
import { credentialsSecretName, VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { EVENTS, SECRETS } from '@groundcrew/controller-runtime';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport, type ClientTransport } from '../../../protocols/ipmi/testing/transport.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from '../power/machine-scene.ts';
import type { TestAgent } from '../power/test-agent.ts';

const APP = 0x06;
const [GET_DEVICE_ID, SET_ACCESS, SET_NAME, GET_NAME, SET_PASSWORD] = [0x01, 0x43, 0x45, 0x46, 0x47];
const NAME_LENGTH = 16;
/** ms; an ended session gives no answer. */
const PATIENCE = 5_000;

const { world, namespace, aMachine, anAgent } = await machineScene();
const transports: ClientTransport[] = [];

afterAll(() => {
  for (const transport of transports) transport.close();
});

async function logIn(agent: TestAgent, username: string, password: string, privilege = 4): Promise<RmcpPlusClient> {
  const transport = await udpTransport('127.0.0.1', agent.ipmiPort ?? 0, PATIENCE);
  transports.push(transport);
  const client = new RmcpPlusClient(transport);
  await client.login({ username, password, privilege });
  await client.setPrivilege(privilege);
  return client;
}

async function isOpen(client: RmcpPlusClient): Promise<boolean> {
  return await client.command(APP, GET_DEVICE_ID).then(
    () => true,
    () => false,
  );
}

/** Creates user 3 with the Operator privilege, as `ipmitool user` does. */
async function addOperator(admin: RmcpPlusClient, name: string, password: string): Promise<void> {
  const field = (text: string): Buffer => Buffer.concat([Buffer.from(text), Buffer.alloc(NAME_LENGTH - text.length)]);
  const requests: [command: number, data: Buffer][] = [
    [SET_NAME, Buffer.concat([Buffer.of(3), field(name)])],
    [SET_PASSWORD, Buffer.concat([Buffer.of(3, 2), field(password)])],
    [SET_ACCESS, Buffer.of(0x91, 3, 3)],
    [SET_PASSWORD, Buffer.of(3, 1)],
  ];
  for (const [command, data] of requests) expect((await admin.command(APP, command, data)).completionCode).toBe(0);
}

async function setOwnerPassword(agent: TestAgent, password: string): Promise<number> {
  const admin = await logIn(agent, 'admin', 'secret');
  const field = Buffer.concat([Buffer.of(2, 2), Buffer.from(password), Buffer.alloc(NAME_LENGTH - password.length)]);
  return (await admin.command(APP, SET_PASSWORD, field)).completionCode;
}

describe('a user added by a client', () => {
  it('can log in, has its privileges, and exists after a restart of the agent', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await addOperator(await logIn(agent, 'admin', 'secret'), 'ops', 'operator');
    await logIn(agent, 'ops', 'operator', 3);
    await expect(logIn(agent, 'ops', 'operator', 4)).rejects.toMatchObject({ step: 'RAKP 2', status: 0x0a });
    await agent.kill();
    await logIn(await anAgent(machine), 'ops', 'operator', 3);
  });

  it('is kept when the owner’s password changes, which ends the owner’s sessions', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    const owner = await logIn(agent, 'admin', 'secret');
    await addOperator(owner, 'ops', 'operator');
    const ops = await logIn(agent, 'ops', 'operator', 3);
    const name = `${machine.ref.name}-creds`;
    await world.client.patch(SECRETS, { namespace, name }, 'merge', { stringData: { password: 'changed-it' } });
    await eventually(() => logIn(agent, 'admin', 'changed-it'));
    expect([await isOpen(owner), await isOpen(ops)]).toEqual([false, true]);
  });
});

it('a stopping agent accepts no log-ins, and reports the correct accounts to logged-in clients', async () => {
  const agent = await anAgent(await aMachine());
  const admin = await logIn(agent, 'admin', 'secret');
  await addOperator(admin, 'ops', 'operator');
  const ops = await logIn(agent, 'ops', 'operator', 3);
  agent.drain();
  await expect(logIn(agent, 'admin', 'secret')).rejects.toMatchObject({ step: 'RAKP 2', status: 0x0d });
  expect((await admin.command(APP, GET_NAME, Buffer.of(3))).data.subarray(0, 4).toString()).toBe('ops\0');
  const removal = Buffer.concat([Buffer.of(3), Buffer.alloc(NAME_LENGTH)]);
  expect((await admin.command(APP, SET_NAME, removal)).completionCode).toBe(0);
  expect([await isOpen(admin), await isOpen(ops)]).toEqual([true, false]);
});

describe('the owner’s password', () => {
  it('cannot be changed if the owner manages the Secret', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    expect(await setOwnerPassword(agent, 'changed-it')).toBe(0xd6);
    await logIn(agent, 'admin', 'secret');
  });

  it('can be changed if the manager created the Secret', async () => {
    const machine = await aMachine();
    await world.client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { spec: { authSecretRef: null } });
    const { apiVersion, kind, metadata } = await machine.bmcObject();
    const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true };
    await world.client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: credentialsSecretName(machine.bmc.name), ownerReferences: [owner] },
      stringData: { username: 'admin', password: 'secret' },
    });
    const agent = await anAgent(machine);
    expect(await setOwnerPassword(agent, 'changed-it')).toBe(0);
    await logIn(agent, 'admin', 'changed-it');
  });
});

it('15 wrong passwords lock the user, with an Event and a log entry per minute', async () => {
  const machine = await aMachine();
  const agent = await anAgent(machine);
  for (let i = 0; i < 15; i += 1) {
    const transport = await udpTransport('127.0.0.1', agent.ipmiPort ?? 0, PATIENCE);
    transports.push(transport);
    await expect(
      new RmcpPlusClient(transport).loginBlindly({ username: 'admin', password: 'wrong' }),
    ).rejects.toMatchObject({
      status: i < 5 ? 0x0f : 0x0d,
    });
  }
  await expect(logIn(agent, 'admin', 'secret')).rejects.toMatchObject({ step: 'RAKP 2', status: 0x0d });
  const failures = agent.machine.log
    .entries()
    .flatMap(({ event }) => (event.kind === 'LoginFailed' ? [event.why] : []));
  expect(failures).toEqual(['WrongPassword', 'LockedOut']);
  await agent.events.flush();
  const { items } = await world.client.list(EVENTS, { namespace });
  const reasons = items.filter((event) => event.involvedObject.name === machine.bmc.name).map(({ reason }) => reason);
  expect(reasons).toEqual(expect.arrayContaining(['LoginRefused', 'LoginLockedOut']));
});
