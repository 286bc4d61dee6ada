import { describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINES, type VirtualMachineInstance } from '../../../api/index.ts';
import { type Clock, systemClock } from '@groundcrew/controller-runtime';
import type { Requester } from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from './machine-scene.ts';
import { type TestAgent, type TestAgentOptions, untilState } from './test-agent.ts';
import type { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '127.0.0.1' };
const NOTE = 'bmc.kubevirt.io/power-on-after';
/** An agent takes back a note without a stop after 70 s. */
const LATER = 100_000;

const { world, aMachine, anAgent } = await machineScene();

/** A running VM that KubeVirt cannot restart, and an agent that has nothing else to write. */
async function running(): Promise<{ machine: TestMachine; agent: TestAgent; first: VirtualMachineInstance }> {
  const machine = await aMachine('Once');
  const first = await machine.running();
  return { machine, first, agent: await readyAgent(machine) };
}

async function readyAgent(machine: TestMachine, options: Partial<TestAgentOptions> = {}): Promise<TestAgent> {
  const agent = await anAgent(machine, options);
  await eventually(async () => {
    const { agent: served, conditions = [] } = (await machine.bmcObject()).status ?? {};
    expect(served?.name).toBe(options.podName ?? 'agent-1');
    expect(conditions).toContainEqual(expect.objectContaining({ type: 'PowerControlAvailable', status: 'True' }));
    expect(agent.machine.powerState()).toBeDefined();
  });
  return agent;
}

async function noteOn(machine: TestMachine): Promise<string | undefined> {
  return (await machine.vm()).metadata.annotations?.[NOTE];
}

async function untilNoNote(machine: TestMachine): Promise<void> {
  await eventually(async () => {
    expect(await noteOn(machine)).toBeUndefined();
  });
}

/** The first write is the note, the second the stop. */
const isPowerWrite = (method: string, path: string): boolean => method !== 'GET' && path.includes('/virtualmachines/');

describe('a power cycle whose agent is killed', { concurrent: true }, () => {
  it.each([
    [0, 'before', 'keeps its guest'],
    [0, 'after', 'keeps its guest'],
    [1, 'before', 'keeps its guest'],
    [1, 'after', 'gets another guest'],
  ] as const)('at write %i, %s the server has processed it: the machine %s', async (writes, when, end) => {
    const { machine, agent, first } = await running();
    agent.transport.killAfter(writes, when, isPowerWrite);
    await expect(agent.machine.power('PowerCycle', requester)).rejects.toThrow();
    await agent.close();

    let ahead = 0;
    const clock: Clock = { ...systemClock, now: () => Date.now() + ahead };
    const next = await readyAgent(machine, { podName: 'agent-2', clock });
    if (end === 'gets another guest') {
      await machine.running(first);
    } else {
      ahead = LATER;
      await world.client.patch(VIRTUAL_MACHINES, machine.ref, 'merge', { metadata: { labels: { look: 'again' } } });
    }
    await untilNoNote(machine);
    const last = await machine.running();
    expect(last.metadata.uid === first.metadata.uid).toBe(end === 'keeps its guest');
    await untilState(next, 'On');
    // A guest that is shut down after a cycle without effect stays off.
    await next.machine.power('GracefulShutdown', requester);
    await machine.off();
    expect(await noteOn(machine)).toBeUndefined();
  });
});

describe('a power cycle during a disturbance of the API', { concurrent: true }, () => {
  it.each([
    ['note', '429'],
    ['note', '500'],
    ['note', 'lost answer'],
    ['stop', '429'],
    ['stop', '500'],
    ['stop', 'lost answer'],
  ] as const)('is acknowledged and carried out once: the %s gets a %s', async (write, fault) => {
    const { machine, agent, first } = await running();
    let faults = 0;
    const isHit = (method: string, path: string): boolean => {
      const isIt = write === 'note' ? method === 'PATCH' && isPowerWrite(method, path) : path.endsWith('/stop');
      if (isIt) faults += 1;
      return isIt && faults === 1;
    };
    if (fault === 'lost answer') agent.transport.losesAnswer = isHit;
    else {
      agent.transport.answers = (method, path) =>
        isHit(method, path) ? { status: Number(fault), message: 'not now' } : undefined;
    }
    await agent.machine.power('PowerCycle', requester);
    const second = await machine.running(first);
    await untilNoNote(machine);
    expect((await machine.running()).metadata.uid).toBe(second.metadata.uid);
    await untilState(agent, 'On');
  });

  it('that lasts is refused, and the machine keeps its guest', async () => {
    const { machine, agent, first } = await running();
    agent.transport.answers = (_, path) => (path.endsWith('/stop') ? { status: 503, message: 'not now' } : undefined);
    await expect(agent.machine.power('PowerCycle', requester)).rejects.toMatchObject({ code: 'Unavailable' });
    expect(await noteOn(machine)).toBeUndefined();
    expect((await machine.running()).metadata.uid).toBe(first.metadata.uid);
    agent.transport.answers = () => undefined;
    await agent.machine.power('PowerCycle', requester);
    await machine.running(first);
    await untilNoNote(machine);
  });
});

describe('power on during a shutdown', { concurrent: true }, () => {
  it('has no effect on a VM that is deleted and created again', async () => {
    const machine = await aMachine('Manual');
    const agent = await readyAgent(machine);
    await agent.machine.power('On', requester);
    await machine.running();
    agent.transport.holdsBack = (method, path) => method === 'PUT' && path.endsWith('/start');
    await agent.machine.power('GracefulShutdown', requester);
    await agent.machine.power('On', requester);
    await world.client.delete(VIRTUAL_MACHINES, machine.ref, { propagationPolicy: 'Foreground' });
    await eventually(async () => {
      await expect(machine.vm()).rejects.toThrow('not found');
    });
    await machine.createVm('Manual');
    agent.transport.holdsBack = () => false;
    await untilState(agent, 'Off');
    expect(await machine.vmi()).toBeUndefined();
    expect(await noteOn(machine)).toBeUndefined();
  });
});
