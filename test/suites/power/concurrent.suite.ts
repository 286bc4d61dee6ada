import { describe, expect, it } from 'vitest';
import { MachineError, type Machine, type PowerAction, type Requester } from '../../../protocols/machine/index.ts';
import { machineScene } from './machine-scene.ts';
import type { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '127.0.0.1' };

const { aMachine, anAgent } = await machineScene();

/** One machine with several independent agents, as in a roll-out. */
async function manyAgents(strategy: 'Manual' | 'Always' | 'Halted'): Promise<[TestMachine, Machine[]]> {
  const machine = await aMachine(strategy);
  const machines: Machine[] = [];
  for (const podName of ['agent-1', 'agent-2', 'agent-3']) machines.push((await anAgent(machine, { podName })).machine);
  return [machine, machines];
}

/** Sends all requests in parallel. A refusal must be Busy, due to the current power state, or due to a long queue. */
async function storm(machines: Machine[], actions: PowerAction[]): Promise<void> {
  const requests = machines.flatMap((machine) => actions.map((action) => machine.power(action, requester)));
  for (const result of await Promise.allSettled(requests)) {
    if (result.status === 'fulfilled') continue;
    expect(result.reason).toBeInstanceOf(MachineError);
    expect(['Busy', 'InvalidState', 'Timeout']).toContain((result.reason as MachineError).code);
  }
}

describe.each(['Manual', 'Always', 'Halted'] as const)('concurrent requests for a %s VM', (strategy) => {
  it('that all power it on start it once', async () => {
    const [machine, machines] = await manyAgents(strategy);
    await Promise.all(machines.flatMap((one) => [one.power('On', requester), one.power('On', requester)]));
    const vmi = await machine.running();
    await Promise.all(machines.map((one) => one.power('On', requester)));
    expect((await machine.running()).metadata.uid).toBe(vmi.metadata.uid);
  });

  it('that all power it off stop it', async () => {
    const [machine, machines] = await manyAgents(strategy);
    await Promise.all(machines.map((one) => one.power('On', requester)));
    await machine.running();
    await Promise.all(
      machines.flatMap((one) => [one.power('GracefulShutdown', requester), one.power('ForceOff', requester)]),
    );
    await machine.off();
    await expect.poll(() => machines.map((one) => one.powerState())).toEqual(['Off', 'Off', 'Off']);
  });

  it('that contradict each other leave it in a usable state', async () => {
    const [machine, machines] = await manyAgents(strategy);
    for (let round = 0; round < 3; round += 1) {
      await storm(machines, ['On', 'ForceOff', 'PowerCycle', 'GracefulShutdown', 'ForceRestart', 'On']);
    }
    const [first] = machines;
    await expect
      .poll(async () => await first?.power('ForceOff', requester).then(() => 'accepted', String), { timeout: 10_000 })
      .toBe('accepted');
    await machine.off();
    await first?.power('On', requester);
    await machine.running();
  });
});
