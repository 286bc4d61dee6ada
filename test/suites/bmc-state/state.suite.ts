import { describe, expect, inject, it, onTestFinished } from 'vitest';
import {
  BMC_CONDITIONS,
  BMC_REASONS,
  credentialsSecretName,
  stateSecretName,
  VIRTUAL_MACHINE_BMCS,
} from '../../../api/index.ts';
import { findCondition, SECRETS, type KubeClient } from '@groundcrew/controller-runtime';
import { NEW_ACCOUNT, type Account } from '../../../protocols/accounts.ts';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../protocols/ipmi/testing/transport.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from '../power/machine-scene.ts';
import { permit, TestAgent, type TestAgentOptions } from '../power/test-agent.ts';
import { stateAgents } from './state-agent.ts';

const { world, namespace, aMachine } = await machineScene();
const anAgent = stateAgents(world);
const WHO = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' } as const;

function anAccount(id: number, name: string, password = 'secret'): Account {
  return { ...NEW_ACCOUNT, id, name, password: Buffer.from(password), role: 'Operator', enabled: true };
}

async function passwordIn(client: KubeClient, name: string): Promise<string> {
  const { data } = await client.get(SECRETS, { namespace, name });
  return Buffer.from(data?.['password'] ?? '', 'base64').toString();
}

describe('the stored state of a BMC', () => {
  it('survives the end of the agent, also after SIGKILL', async () => {
    const machine = await aMachine();
    const first = await anAgent(machine);
    await first.state.settings.change(() => ({ systemInfo: { 1: '00' } }));
    await first.state.accounts.change((stored) => [...stored, anAccount(3, 'eve')]);
    await first.kill();
    const next = await anAgent(machine);
    expect(next.state.settings.current()).toEqual({ systemInfo: { 1: '00' } });
    expect(next.state.accounts.current()).toEqual([anAccount(3, 'eve')]);
  });

  it('is deleted with the BMC', async () => {
    const machine = await aMachine();
    await (await anAgent(machine)).state.settings.change(() => ({ systemInfo: { 1: '00' } }));
    const { metadata } = await world.client.get(SECRETS, { namespace, name: stateSecretName(machine.bmc.name) });
    const bmc = await machine.bmcObject();
    expect(metadata.ownerReferences).toMatchObject([
      { kind: 'VirtualMachineBMC', name: bmc.metadata.name, uid: bmc.metadata.uid, controller: true },
    ]);
  });

  it('is shared by both agents during a roll-out without loss', async () => {
    const machine = await aMachine();
    const [one, other] = await Promise.all([anAgent(machine), anAgent(machine)]);
    const ids = [3, 4, 5, 6, 7, 8];
    await Promise.all(
      ids.map((id) =>
        (id % 2 === 0 ? one : other).state.accounts.change((stored) => [...stored, anAccount(id, `user-${id}`)]),
      ),
    );
    await eventually(() => {
      for (const { state } of [one, other]) {
        const seen = state.accounts.current().map(({ id }) => id);
        expect(seen.sort()).toEqual(ids);
      }
    });
  });

  it('refuses changes while the API server is unreachable and accepts them afterwards', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.state.settings.change(() => ({ systemInfo: { 1: '00' } }));
    await world.outage.begin();
    const refused = agent.state.accounts.change(() => [anAccount(3, 'eve')]);
    await expect(refused).rejects.toMatchObject({ name: 'AccountError', code: 'Unavailable' });
    expect(agent.state.settings.current()).toEqual({ systemInfo: { 1: '00' } });
    await world.outage.end();
    await eventually(() => agent.state.accounts.change(() => [anAccount(3, 'eve')]));
  });
});

/** The embedded server does not check permissions. */
const checksPermissions = inject('server') !== 'embedded';
const noTest = (): void => undefined;

describe('a Secret created by a user', () => {
  (checksPermissions ? it : noTest)('cannot be written where the BMC names it', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    const name = `${machine.ref.name}-creds`;
    const patch = agent.client.patch(SECRETS, { namespace, name }, 'merge', { stringData: { password: 'x' } });
    await expect(patch).rejects.toMatchObject({ status: 403 });
    expect(await passwordIn(world.client, name)).toBe('secret');
  });

  it('is not modified, even if it has the name of a state Secret', async () => {
    const machine = await aMachine();
    await world.client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { spec: { authSecretRef: null } });
    const name = credentialsSecretName(machine.bmc.name);
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name },
      stringData: { password: 'mine' },
    };
    await world.client.create(SECRETS, secret);
    const agent = await anAgent(machine);
    const change = agent.credentials.changePassword(Buffer.from('other'));
    await expect(change).rejects.toMatchObject({ code: 'ReadOnly' });
    expect(await passwordIn(world.client, name)).toBe('mine');
  });

  it('is not used as the state of the BMC', async () => {
    const machine = await aMachine();
    const name = stateSecretName(machine.bmc.name);
    const stringData = { accounts: JSON.stringify([{ ...anAccount(3, 'eve'), password: 'cHc=' }]) };
    await world.client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, stringData });
    const { state } = await anAgent(machine);
    expect(state.accounts.current()).toEqual([]);
    await expect(state.accounts.change(() => [anAccount(4, 'mallory')])).rejects.toThrow(/belongs to another owner/);
    const { data } = await world.client.get(SECRETS, { namespace, name });
    expect(Object.keys(data ?? {})).toEqual(['accounts']);
  });
});

(checksPermissions ? describe : noTest)('an agent with the Role of an older manager', () => {
  const withoutState: TestAgentOptions['permits'] = ({ resourceNames, verbs }) =>
    resourceNames === undefined || !verbs.includes('create');

  it('serves with the permissions of KubeVirtBMC, and says what it may not do', async () => {
    const machine = await aMachine();
    const known = ['virtualmachines', 'virtualmachineinstances', 'virtualmachines/start', 'virtualmachinebmcs'];
    const permits: TestAgentOptions['permits'] = ({ resources = [], resourceNames = [] }) =>
      known.includes(resources[0] ?? '') ||
      resources[0] === 'virtualmachinebmcs/status' ||
      resourceNames[0] === `${machine.ref.name}-creds`;
    const agent = await TestAgent.start(world, { bmc: machine.bmc, permits });
    onTestFinished(() => agent.close());
    await logIn(agent, 'admin');
    await agent.machine.power('On', WHO);
    await machine.running();
    await expect(agent.machine.power('ForceRestart', WHO)).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('the BMC may not do that') as string,
    });
    await eventually(async () => {
      const { status } = await machine.bmcObject();
      expect(findCondition(status?.conditions, BMC_CONDITIONS.powerControlAvailable)).toMatchObject({
        status: 'False',
        reason: BMC_REASONS.powerControlForbidden,
      });
    });
    await agent.machine.power('ForceOff', WHO);
    await machine.off();
  });

  it('does not stop the BMC, and the state is stored as soon as the Role permits it', async () => {
    const machine = await aMachine();
    const former = await anAgent(machine);
    await former.state.accounts.change(() => [anAccount(3, 'eve')]);
    await permit(world, await machine.bmcObject(), withoutState);
    // The API server applies the reduced permissions with a delay.
    await eventually(async () => {
      const reading = former.client.get(SECRETS, { namespace, name: stateSecretName(machine.bmc.name) });
      await expect(reading).rejects.toMatchObject({ status: 403 });
    });
    const agent = await TestAgent.start(world, { bmc: machine.bmc, permits: withoutState });
    onTestFinished(() => agent.close());
    await logIn(agent, 'admin');
    await expect(logIn(agent, 'eve')).rejects.toMatchObject({ step: 'RAKP 2', status: 0x0d });
    await permit(world, await machine.bmcObject());
    await eventually(() => logIn(agent, 'eve'), { timeout: 30_000 });
  });

  async function logIn(agent: TestAgent, username: string): Promise<void> {
    const transport = await udpTransport('127.0.0.1', agent.ipmiPort ?? 0, 2_000);
    try {
      await new RmcpPlusClient(transport).login({ username, password: 'secret', privilege: 3 });
    } finally {
      transport.close();
    }
  }
});

it('a BMC with IPMI disabled accepts credentials of any length', async () => {
  const machine = await aMachine();
  const secret = { namespace, name: `${machine.ref.name}-creds` };
  await world.client.patch(SECRETS, secret, 'merge', { stringData: { password: 'x'.repeat(40) } });
  await world.client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { spec: { ipmi: { enabled: false } } });
  const agent = await TestAgent.start(world, { bmc: machine.bmc });
  expect(agent.problem).toBeUndefined();
  await agent.close();
});

it('a Secret created by the manager gets the password that a client sets', async () => {
  const machine = await aMachine();
  await world.client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { spec: { authSecretRef: null } });
  const { apiVersion, kind, metadata } = await machine.bmcObject();
  const owner = { apiVersion, kind, name: metadata.name, uid: metadata.uid ?? '', controller: true };
  const name = credentialsSecretName(machine.bmc.name);
  await world.client.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name, ownerReferences: [owner] },
    stringData: { username: 'admin', password: 'made' },
  });
  await (await anAgent(machine)).credentials.changePassword(Buffer.from('chosen'));
  expect(await passwordIn(world.client, name)).toBe('chosen');
});
