import { describe, expect, it } from 'vitest';
import { type RunStrategy, VIRTUAL_MACHINES, type VirtualMachineInstance } from '../../../api/index.ts';
import {
  MachineError,
  type MachineErrorCode,
  type PowerAction,
  type Requester,
} from '../../../protocols/machine/index.ts';
import { eventually } from '../../harness/index.ts';
import { machineScene } from './machine-scene.ts';
import { type TestAgent, untilState } from './test-agent.ts';
import type { TestMachine } from './test-machine.ts';

const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '127.0.0.1' };
const STRATEGIES: RunStrategy[] = ['Manual', 'RerunOnFailure', 'Always', 'Halted', 'Once'];
const STARTS_OFF: RunStrategy[] = ['Manual', 'Halted'];

const scene = await machineScene();
const { world, namespace } = scene;

async function aMachine(strategy: RunStrategy): Promise<{ machine: TestMachine; agent: TestAgent }> {
  const machine = await scene.aMachine(strategy);
  return { machine, agent: await scene.anAgent(machine) };
}

/**
 * Repeats an action while the machine is busy, as ipmitool and Ironic do: a start that KubeVirt has begun can be stopped once it has a VMI.
 * Also if KubeVirt was too slow to answer: switching off twice does no harm.
 */
async function insistOn(action: PowerAction, { machine }: TestAgent): Promise<void> {
  const failure = await eventually(async () => {
    const error: unknown = await machine.power(action, requester).catch((reason: unknown) => reason);
    if (error instanceof MachineError && ['Busy', 'Timeout'].includes(error.code)) throw error;
    return error;
  });
  expect(failure).toBeUndefined();
}

/** Each test has a machine of its own, and mostly waits for KubeVirt. */
const together = { concurrent: true };

describe.each(STRATEGIES)('power of a VM with run strategy %s', together, (strategy) => {
  it('handles on, off, on, a cycle, a reset, and off by the power button', async () => {
    const { machine, agent } = await aMachine(strategy);
    const power = (action: PowerAction): Promise<void> => agent.machine.power(action, requester);
    const state = (): string => agent.machine.powerState();

    await power('On');
    expect(['PoweringOn', 'On']).toContain(state());
    const first = await machine.running();
    await untilState(agent, 'On');
    await power('On');
    expect((await machine.vmi())?.metadata.uid).toBe(first.metadata.uid);

    await power('ForceOff');
    expect(['PoweringOff', 'Off']).toContain(state());
    await machine.off();
    await untilState(agent, 'Off');
    await power('ForceOff');
    await power('GracefulShutdown');

    await power('On');
    expect(['PoweringOn', 'On']).toContain(state());
    const second = await machine.running(first);
    await untilState(agent, 'On');

    await power('PowerCycle');
    expect(['PoweringOff', 'PoweringOn']).toContain(state());
    const third = await machine.running(second);
    await untilState(agent, 'On');

    await power('ForceRestart');
    expect(state()).toBe('On');
    expect((await machine.running()).metadata.uid).toBe(third.metadata.uid);

    await power('GracefulRestart');
    expect(state()).toBe('On');
    expect((await machine.running()).metadata.uid).toBe(third.metadata.uid);

    await power('Pause');
    expect(state()).toBe('Paused');
    await eventually(async () => {
      expect(isPaused(await machine.vmi())).toBe(true);
    });
    await power('Pause');
    expect(state()).toBe('Paused');
    await expect(power('GracefulRestart')).rejects.toMatchObject({ code: 'InvalidState' });
    await power('Resume');
    expect(state()).toBe('On');
    await eventually(async () => {
      expect(isPaused(await machine.vmi())).toBe(false);
    });
    await power('Resume');
    expect(state()).toBe('On');
    expect((await machine.running()).metadata.uid).toBe(third.metadata.uid);

    await power('GracefulShutdown');
    expect(['PoweringOff', 'Off']).toContain(state());
    await machine.off();
    await untilState(agent, 'Off');
    await eventually(async () => {
      expect((await machine.bmcObject()).status?.powerState).toBe('Off');
    });
  });

  it('starts again if power on is requested during the shutdown', async () => {
    const { machine, agent } = await aMachine(strategy);
    await agent.machine.power('On', requester);
    const first = await machine.running();
    await agent.machine.power('GracefulShutdown', requester);
    await agent.machine.power('On', requester);
    expect(['PoweringOff', 'PoweringOn']).toContain(agent.machine.powerState());
    await machine.running(first);
    await eventually(async () => {
      expect((await machine.vm()).metadata.annotations ?? {}).not.toHaveProperty(['bmc.kubevirt.io/power-on-after']);
    });
  });

  it('stays off if power on and power off are requested during the shutdown', async () => {
    const { machine, agent } = await aMachine(strategy);
    await agent.machine.power('On', requester);
    await machine.running();
    await agent.machine.power('GracefulShutdown', requester);
    // The guest may already be off, so a power cycle may be impossible.
    await agent.machine.power('PowerCycle', requester).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'InvalidState' });
    });
    await insistOn('ForceOff', agent);
    await machine.off();
    await untilState(agent, 'Off');
  });
});

describe.each(STRATEGIES)('a VM with run strategy %s during a power cycle', together, (strategy) => {
  it.each(['ForceOff', 'GracefulShutdown'] as const)('stays off after %s', async (off) => {
    const { machine, agent } = await aMachine(strategy);
    await agent.machine.power('On', requester);
    await machine.running();
    await untilState(agent, 'On');
    await agent.machine.power('PowerCycle', requester);
    await insistOn(off, agent);
    await machine.off();
    // KubeVirt would start it within this time.
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await machine.off();
    await untilState(agent, 'Off');
  });
});

describe.each(STARTS_OFF)('a guest that ignores its power button, with run strategy %s', together, (strategy) => {
  it('is cut at once by reset and cycle, also if the machine comes back by itself', async () => {
    const { machine, agent } = await aMachine(strategy);
    const metadata = { annotations: { 'sandbox.kubevirt.io/shutdown-time': '600000' } };
    const template = { metadata, spec: { terminationGracePeriodSeconds: 600 } };
    await world.client.patch(VIRTUAL_MACHINES, machine.ref, 'merge', { spec: { template } });
    await agent.machine.power('On', requester);
    const first = await machine.running();

    await agent.machine.power('GracefulShutdown', requester);
    await agent.machine.power('On', requester);
    await agent.machine.power('ForceRestart', requester);
    const second = await machine.running(first);

    // `virtctl restart`
    const path = `/apis/subresources.kubevirt.io/v1/namespaces/${namespace}/virtualmachines/${machine.ref.name}/restart`;
    await world.client.request({ method: 'PUT', path, body: '{}' });
    await agent.machine.power('PowerCycle', requester);
    await machine.running(second);
    await eventually(async () => {
      expect((await machine.vm()).metadata.annotations ?? {}).not.toHaveProperty(['bmc.kubevirt.io/power-on-after']);
    });
  });
});

describe('clients that pause and resume a machine at the same time', together, () => {
  it('are all served one after the other in any state', async () => {
    const { machine, agent } = await aMachine('Manual');
    await agent.machine.power('On', requester);
    await machine.running();
    await untilState(agent, 'On');
    const asked: PowerAction[] = ['Pause', 'Pause', 'Resume', 'Pause', 'Resume', 'Resume', 'Pause'];
    // The last one waits for all others, longer than IPMI clients do.
    const patient: Requester = { ...requester, protocol: 'Redfish' };
    await Promise.all(asked.map((action) => agent.machine.power(action, patient)));
    expect(agent.machine.powerState()).toBe('Paused');
    await eventually(async () => {
      expect(isPaused(await machine.vmi())).toBe(true);
      expect((await machine.bmcObject()).status?.powerState).toBe('Paused');
    });
    await agent.machine.power('ForceOff', requester);
    await machine.off();
  });
});

describe('an impossible power action', together, () => {
  it.each<[PowerAction, MachineErrorCode]>([
    ['PowerCycle', 'InvalidState'],
    ['ForceRestart', 'InvalidState'],
    ['GracefulRestart', 'InvalidState'],
    ['Pause', 'InvalidState'],
    ['Resume', 'InvalidState'],
    ['DiagnosticInterrupt', 'NotSupported'],
  ])('%s on a stopped machine is %s', async (action, code) => {
    const { agent } = await aMachine('Manual');
    await expect(agent.machine.power(action, requester)).rejects.toMatchObject({ code });
  });

  it('is reported if the VM does not exist', async () => {
    const { machine, agent } = await aMachine('Manual');
    await world.client.request({
      method: 'DELETE',
      path: `/apis/kubevirt.io/v1/namespaces/${namespace}/virtualmachines/${machine.ref.name}`,
    });
    await eventually(async () => {
      await expect(agent.machine.power('On', requester)).rejects.toMatchObject({ code: 'Unavailable' });
      expect(() => agent.machine.powerState()).toThrow('does not exist');
    });
    await machine.createVm('Manual');
    await eventually(() => {
      expect(agent.machine.powerState()).toBe('Off');
    });
    await agent.machine.power('On', requester);
    await machine.running();
  });
});

describe('a machine without a BMC client', together, () => {
  it.each(STRATEGIES.filter((strategy) => !STARTS_OFF.includes(strategy)))(
    '%s is on after its creation',
    async (strategy) => {
      const { machine, agent } = await aMachine(strategy);
      await machine.running();
      await untilState(agent, 'On');
    },
  );
});

function isPaused(vmi: VirtualMachineInstance | undefined): boolean {
  return vmi?.status?.conditions?.some(({ type, status }) => type === 'Paused' && status === 'True') === true;
}
