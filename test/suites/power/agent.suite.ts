import { describe, expect, it } from 'vitest';
import { RequestTraces } from '../../../agent/bmc/index.ts';
import { VIRTUAL_MACHINE_BMCS } from '../../../api/index.ts';
import { jsonLogger } from '../../../cli/agent/json-logger.ts';
import { EVENTS, SECRETS, systemClock, type Clock, type KubeClient } from '@groundcrew/controller-runtime';
import { rmcpPing } from '../../../protocols/ipmi/index.ts';
import { NET_FN, PRIVILEGE } from '../../../protocols/ipmi/message/codes.ts';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../protocols/ipmi/testing/transport.ts';
import type { Requester } from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from './machine-scene.ts';
import type { TestAgent } from './test-agent.ts';
import type { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '192.0.2.7' };

const { world, namespace, aMachine, anAgent } = await machineScene();

async function served(clock: Clock = systemClock): Promise<{ machine: TestMachine; agent: TestAgent }> {
  const machine = await aMachine();
  return { machine, agent: await anAgent(machine, { clock }) };
}

async function setPassword(client: KubeClient, machine: TestMachine, password: string): Promise<void> {
  const secret = { namespace, name: `${machine.ref.name}-creds` };
  await client.patch(SECRETS, secret, 'merge', { stringData: { password } });
}

describe('a BMC agent', () => {
  it('answers, and keeps its part of the status current', async () => {
    const { machine, agent } = await served();
    expect(await rmcpPing('127.0.0.1', agent.ipmiPort ?? 0, 5_000)).toBe(true);
    await eventually(async () => {
      const { metadata, status } = await machine.bmcObject();
      expect(status?.agent).toEqual({ name: 'agent-1', observedGeneration: metadata.generation });
      expect(status?.powerState).toBe('Off');
    });
    await agent.machine.power('On', requester);
    await eventually(async () => {
      expect((await machine.bmcObject()).status?.powerState).toBe('On');
    });
  });

  it('does not write the status while it names another agent', async () => {
    const { machine } = await served();
    // Wait: a write in progress would replace the other agent's name.
    await eventually(async () => {
      expect((await machine.bmcObject()).status?.powerState).toBe('Off');
    });
    const named = { status: { agent: { name: 'another' } } };
    await world.client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', named, { subresource: 'status' });
    const before = (await machine.bmcObject()).metadata.resourceVersion;
    await world.client.request({
      method: 'PUT',
      path: `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachines/${machine.ref.name}/start`,
    });
    await machine.running();
    expect((await machine.bmcObject()).metadata.resourceVersion).toBe(before);
  });

  it('writes Events with the user and the action', async () => {
    const { machine, agent } = await served();
    await agent.machine.power('On', requester);
    await machine.running();
    await expect(
      agent.machine.setBootOverride({ device: 'Pxe', persistence: 'Once', instance: 9 }, requester),
    ).rejects.toThrow();
    await agent.events.flush();
    const { items } = await world.client.list(EVENTS, { namespace });
    const told = items.filter(({ involvedObject }) => involvedObject.name === machine.bmc.name);
    expect(told.map(({ type, reason }) => `${type ?? ''} ${reason ?? ''}`)).toEqual(
      expect.arrayContaining(['Normal PowerOn', 'Warning BootOverrideSetRefused']),
    );
    expect(told.find(({ reason }) => reason === 'PowerOn')?.message).toBe(
      'Power on, as admin asked over IPMI from 192.0.2.7',
    );
  });

  it('applies new credentials without a restart, and disables IPMI if they are unsuitable for it', async () => {
    const { machine, agent } = await served();
    const port = agent.ipmiPort ?? 0;
    await setPassword(world.client, machine, 'x'.repeat(21));
    await eventually(() => {
      expect(agent.problem).toContain('over 20 bytes');
    });
    expect(await rmcpPing('127.0.0.1', port, 200)).toBe(false);
    await setPassword(world.client, machine, 'fits');
    await eventually(() => {
      expect(agent.problem).toBeUndefined();
    });
    await world.client.delete(SECRETS, { namespace, name: `${machine.ref.name}-creds` });
    await eventually(() => {
      expect(agent.problem).toBe(`Secret ${machine.ref.name}-creds does not exist`);
    });
  });

  it('disables and enables IPMI according to the spec, and confirms the generation', async () => {
    const { machine, agent } = await served();
    for (const enabled of [false, true]) {
      await world.client.patch(VIRTUAL_MACHINE_BMCS, machine.bmc, 'merge', { spec: { ipmi: { enabled } } });
      await eventually(async () => {
        const { metadata, status } = await machine.bmcObject();
        expect(status?.agent?.observedGeneration).toBe(metadata.generation);
        expect(agent.ipmiPort !== undefined).toBe(enabled);
      });
    }
  });

  it('reads the power state from the API server if its watches have been silent for too long', async () => {
    let ahead = 0;
    const { agent } = await served({ ...systemClock, now: () => Date.now() + ahead });
    const read = async (): Promise<string> => {
      await agent.machine.refresh();
      return agent.machine.powerState();
    };
    await eventually(async () => {
      expect(await read()).toBe('Off');
    });
    // Simulates that no bookmark has arrived in the meantime.
    ahead += 100_000;
    expect(() => agent.machine.powerState()).toThrow('the power state is not known');
    await eventually(async () => {
      expect(await read()).toBe('Off');
    });
    await world.outage.begin();
    ahead += 100_000;
    await expect(read()).rejects.toMatchObject({ code: 'Unavailable' });
    await world.outage.end();
    await eventually(async () => {
      expect(await read()).toBe('Off');
    });
  });

  it('gives a request over IPMI one ID: in the log and in its calls, also for the read of a state that is too old', async () => {
    let ahead = 0;
    const lines: string[] = [];
    const traces = new RequestTraces('test');
    const logger = jsonLogger('debug', { write: (line) => void lines.push(line), more: () => traces.fields });
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const agent = await anAgent(await aMachine(), { logger, traces, clock });
    const client = new RmcpPlusClient(await udpTransport('127.0.0.1', agent.ipmiPort ?? 0, 5_000));
    await client.login({ username: 'admin', password: 'secret' });
    await client.setPrivilege(PRIVILEGE.administrator);
    /** The requests of the lines that have these fields, each once. */
    const requests = (fields: object): unknown[] => {
      const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
      const told = all.filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value));
      return [...new Set(told.map((line) => line['request']))];
    };
    await client.command(NET_FN.chassis, 0x02, Buffer.of(1));
    const powered = requests({ command: 'Chassis Control' });
    expect(powered).toEqual([expect.stringMatching('^test-')]);
    expect(requests({ method: 'PUT', level: 'info' })).toEqual(powered);
    expect(requests({ action: 'PowerOn' })).toEqual(powered);
    lines.length = 0;
    ahead += 100_000;
    await client.command(NET_FN.chassis, 0x01);
    const read = requests({ command: 'Get Chassis Status' });
    expect(read).toEqual([expect.stringMatching('^test-')]);
    expect(read).not.toEqual(powered);
    expect(requests({ method: 'GET', audit: `${String(read[0])}-1` })).toEqual(read);
    await client.logout();
  });

  it('continues after an outage of the API server', async () => {
    const { machine, agent } = await served();
    await world.outage.begin();
    await expect(agent.machine.power('On', requester)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await rmcpPing('127.0.0.1', agent.ipmiPort ?? 0, 5_000)).toBe(true);
    await world.outage.end();
    await eventually(() => agent.machine.power('On', requester));
    await machine.running();
    await expect.poll(() => agent.machine.powerState(), { timeout: 20_000 }).toBe('On');
  });
});
