import { describe, expect, it } from 'vitest';
import { EVENTS } from '@groundcrew/controller-runtime';
import type { Requester } from '../../../protocols/machine/index.ts';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../protocols/ipmi/testing/transport.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from './machine-scene.ts';
import type { TestAgent } from './test-agent.ts';
import type { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '127.0.0.1' };
const APP = 0x06;
const [RESET_TIMER, SET_TIMER, GET_TIMER] = [0x22, 0x24, 0x25];

const { world, namespace, aMachine, anAgent, agents } = await machineScene();

async function command(agent: TestAgent, number: number, data = ''): Promise<Buffer> {
  const transport = await udpTransport('127.0.0.1', agent.ipmiPort ?? 0, 10_000);
  const client = new RmcpPlusClient(transport);
  await client.login({ username: 'admin', password: 'secret' });
  await client.setPrivilege(4);
  const answer = await client.command(APP, number, Buffer.from(data, 'hex'));
  await client.logout();
  transport.close();
  expect(answer.completionCode).toBe(0);
  return answer.data;
}

/** Starts an SMS/OS watchdog that power cycles the machine. */
async function arm(agent: TestAgent, seconds: number): Promise<void> {
  const countdown = Buffer.alloc(2);
  countdown.writeUInt16LE(seconds * 10);
  await command(agent, SET_TIMER, `04030000${countdown.toString('hex')}`);
  await command(agent, RESET_TIMER);
}

/** Messages about power cycles, from any agent. */
async function cycles(machine: TestMachine): Promise<string[]> {
  for (const agent of agents) await agent.events.flush();
  const { items } = await world.client.list(EVENTS, { namespace });
  const told = items.filter(({ involvedObject, reason }) => {
    return involvedObject.name === machine.bmc.name && reason?.startsWith('PowerCycle');
  });
  return told.flatMap(({ message, count }) => Array<string>(count ?? 1).fill(message ?? ''));
}

const TOLD = 'Power cycle, as the watchdog that was armed by admin asked over IPMI from 127.0.0.1';

describe('an armed watchdog', { concurrent: true }, () => {
  it('resets the machine once when it expires, and logs who armed it', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.power('On', requester);
    const first = await machine.running();
    await arm(agent, 2);
    const second = await machine.running(first);
    await eventually(async () => {
      expect(await cycles(machine)).toEqual([TOLD]);
    });
    const kinds = agent.machine.log.entries().map(({ event }) => event.kind);
    expect(kinds.filter((kind) => kind === 'Watchdog')).toHaveLength(1);
    // Stopped, with its expiration flag set and no time left.
    expect((await command(agent, GET_TIMER)).toString('hex')).toBe('0403001014000000');
    expect((await machine.running()).metadata.uid).toBe(second.metadata.uid);
  });

  it('stays armed in the agent that follows a killed one', async () => {
    const machine = await aMachine();
    const doomed = await anAgent(machine);
    await doomed.machine.power('On', requester);
    const first = await machine.running();
    await arm(doomed, 5);
    await doomed.kill();
    expect((await machine.running()).metadata.uid).toBe(first.metadata.uid);
    const heir = await anAgent(machine);
    await machine.running(first);
    await eventually(async () => {
      expect(await cycles(machine)).toEqual([TOLD]);
    });
    expect((await command(heir, GET_TIMER)).toString('hex')).toBe('0403001032000000');
  });

  it('is executed once by the active agent, also if another agent armed it', async () => {
    const machine = await aMachine();
    const idle = await anAgent(machine);
    await idle.machine.power('On', requester);
    const first = await machine.running();
    await anAgent(machine, { podName: 'agent-2' });
    await arm(idle, 2);
    await machine.running(first);
    await eventually(async () => {
      expect((await command(idle, GET_TIMER)).toString('hex')).toBe('0403001014001400');
    });
    expect(await cycles(machine)).toEqual([TOLD]);
  });
});
