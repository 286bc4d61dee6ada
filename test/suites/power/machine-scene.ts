import { afterAll, expect } from 'vitest';
import type { RunStrategy, VirtualMachineInstance } from '../../../api/index.ts';
import { cluster, eventually, type Cluster, type StandInOptions } from '../../harness/index.ts';
import { TestAgent, type TestAgentOptions } from './test-agent.ts';
import { ordersOf, TestMachine } from './test-machine.ts';

/** Boot orders of a {@link TestMachine}, and of a machine that boots from the network first. */
export const ORIGINAL = { 'disk:root': 1, 'cdrom:cd': 0, 'interface:default': 0 };
export const NETWORK_FIRST = { 'disk:root': 2, 'cdrom:cd': 3, 'interface:default': 1 };

/** Machines of one namespace, and the agents of their BMCs. */
export interface MachineScene {
  readonly world: Cluster;
  readonly namespace: string;
  /** Default: `Manual`. */
  readonly aMachine: (runStrategy?: RunStrategy) => Promise<TestMachine>;
  /** Starts an agent; it ends with the suite. */
  readonly anAgent: (machine: TestMachine, options?: Partial<TestAgentOptions>) => Promise<TestAgent>;
  /** The agents that were started, also those that have ended. */
  readonly agents: readonly TestAgent[];
  /** Resolves when the machine has its original order and no override. */
  readonly restored: (machine: TestMachine) => Promise<void>;
  /** Boot orders at the creation of a VMI. */
  readonly bootOrders: (machine: TestMachine, vmi: VirtualMachineInstance) => Promise<object>;
}

export async function machineScene(parts: StandInOptions['parts'] = ['kubevirt']): Promise<MachineScene> {
  const world = await cluster();
  await world.standIns({ parts });
  const namespace = await world.namespace();
  const agents: TestAgent[] = [];
  let machines = 0;
  afterAll(async () => {
    for (const agent of agents) await agent.close();
  });
  return {
    ...{ world, namespace, agents },
    aMachine: async (runStrategy = 'Manual') => {
      machines += 1;
      return await TestMachine.create(world, namespace, `vm-${machines}`, runStrategy);
    },
    anAgent: async (machine, options) => {
      const agent = await TestAgent.start(world, { bmc: machine.bmc, ...options });
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
