import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { VIRTUAL_MACHINE_INSTANCES } from '../../../api/index.ts';
import type { Requester } from '../../../protocols/machine/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { TestAgent } from './test-agent.ts';
import { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'IPMI', user: 'fence', address: '127.0.0.1' };

const world = await cluster();
const { kubeVirt } = await world.standIns({ parts: ['kubevirt'] });
const namespace = await world.namespace();
const agents: TestAgent[] = [];

afterAll(async () => {
  for (const agent of agents) await agent.close();
  for (const name of kubeVirt.nodeNames) await kubeVirt.recoverNode(name);
});

describe.each(['Manual', 'Always', 'RerunOnFailure'] as const)('a %s machine on a lost node', (strategy) => {
  const name = strategy.toLowerCase();
  let machine: TestMachine;
  let agent: TestAgent;
  let node: string;

  beforeEach(async () => {
    machine = await TestMachine.create(world, namespace, name, strategy);
    agent = await TestAgent.start(world, { bmc: machine.bmc });
    agents.push(agent);
    await agent.machine.power('On', requester);
    node = (await machine.running()).status?.nodeName ?? '';
    await kubeVirt.loseNode(node);
  });

  it('is never reported as off before KubeVirt reports that its guest has ended', async () => {
    const read = new Set<string>();
    const look = (): void => void read.add(agent.machine.powerState());
    look();
    await agent.machine.power('ForceOff', requester);
    await agent.machine.power('ForceOff', requester);
    for (let looks = 0; looks < 50; looks += 1) {
      look();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect([...read]).not.toContain('Off');
    expect(await world.client.find(VIRTUAL_MACHINE_INSTANCES, machine.ref)).toBeDefined();
    await kubeVirt.recoverNode(node);
    await machine.off();
    await eventually(() => {
      expect(agent.machine.powerState()).toBe('Off');
    });
  });
});
