import { once } from 'node:events';
import { createSocket } from 'node:dgram';
import { describe, expect, it } from 'vitest';
import { EVENTS } from '@groundcrew/controller-runtime';
import type { Requester } from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from './machine-scene.ts';
import { TestAgent } from './test-agent.ts';
import type { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '127.0.0.1' };
const { world, namespace, aMachine, anAgent, restored } = await machineScene();

async function isToldOf(machine: TestMachine, powerState: 'On' | 'Off'): Promise<void> {
  await eventually(async () => {
    const { metadata, status } = await machine.bmcObject();
    expect(status).toMatchObject({ powerState, agent: { observedGeneration: metadata.generation } });
  });
}

describe('the work of an agent for a BMC', () => {
  it('continues if a port cannot be bound, which is reported and retried', async () => {
    const machine = await aMachine();
    const rival = createSocket('udp4').bind(0, '127.0.0.1');
    await once(rival, 'listening');
    const agent = await TestAgent.begin(world, { bmc: machine.bmc, ipmiPort: rival.address().port });
    try {
      await isToldOf(machine, 'Off');
      expect(agent.problem).toMatch(/^serving IPMI: .*EADDRINUSE/);
      await eventually(async () => {
        await agent.events.flush();
        const { items } = await world.client.list(EVENTS, { namespace });
        const told = items.filter(({ involvedObject }) => involvedObject.name === machine.bmc.name);
        expect(told.map(({ reason, message }) => `${reason ?? ''} ${message ?? ''}`)).toContainEqual(
          expect.stringMatching(/^WorkFailed serving IPMI: .*EADDRINUSE/),
        );
      });
      rival.close();
      await eventually(() => {
        expect(agent.problem).toBeUndefined();
      });
    } finally {
      await agent.close();
    }
  });

  it('continues if the boot order cannot be restored, which is retried', async () => {
    const machine = await aMachine();
    const agent = await anAgent(machine);
    await agent.machine.setBootOverride({ device: 'Pxe', persistence: 'Once' }, requester);
    agent.transport.holdsBack = (method, path) => method === 'PATCH' && path.includes('/virtualmachines/');
    await agent.machine.power('On', requester);
    await machine.running();
    await isToldOf(machine, 'On');
    expect((await machine.bmcObject()).status?.bootOverride).toBeDefined();
    agent.transport.holdsBack = () => false;
    await restored(machine);
  });
});
