import { afterAll, expect } from 'vitest';
import type { VirtualMachineInstance } from '../../../api/index.ts';
import { cluster, eventually, type Cluster, type StandInOptions } from '../../harness/index.ts';
import { TestAgent } from './test-agent.ts';
import { ordersOf, TestMachine } from './test-machine.ts';

/** Boot orders of a {@link TestMachine}, and of a machine that boots from the network first. */
export const ORIGINAL = { 'disk:root': 1, 'cdrom:cd': 0, 'interface:default': 0 };
export const NETWORK_FIRST = { 'disk:root': 2, 'cdrom:cd': 3, 'interface:default': 1 };

/** Machines of one namespace, and the agents of their BMCs. */
export interface BootScene {
  readonly world: Cluster;
  readonly namespace: string;
  readonly aMachine: () => Promise<TestMachine>;
  /** Starts an agent; it ends with the suite. */
  readonly anAgent: (machine: TestMachine) => Promise<TestAgent>;
  /** Resolves when the machine has its original order and no override. */
  readonly restored: (machine: TestMachine) => Promise<void>;
  /** Boot orders at the creation of a VMI. */
  readonly bootOrders: (machine: TestMachine, vmi: VirtualMachineInstance) => Promise<object>;
}

export async function bootScene(parts: StandInOptions['parts'] = ['kubevirt']): Promise<BootScene> {
  const world = await cluster();
  await world.standIns({ parts });
  const namespace = await world.namespace();
  const agents: TestAgent[] = [];
  let machines = 0;
  afterAll(async () => {
    for (const agent of agents) await agent.close();
  });
  return {
    ...{ world, namespace },
    aMachine: async () => {
      machines += 1;
      return await TestMachine.create(world, namespace, `boot-${machines}`, 'Manual');
    },
    anAgent: async (machine) => {
      const agent = await TestAgent.start(world, { bmc: machine.bmc });
      agents.push(agent);
      return agent;
    },
    restored: async (machine) => {
      await eventually(async () => {
        expect((await machine.bmcObject()).status?.bootOverride).toBeUndefined();
        expect(await machine.orders()).toEqual(ORIGINAL);
      });
    },
    bootOrders: async (machine, vmi) => ordersOf(vmi, await machine.vm()),
  };
}
