import { describe, expect, it } from 'vitest';
import { MachineError } from '../../machine/index.ts';
import { CALLER } from '../testing/index.ts';
import { SystemUnderTest } from '../testing/system-under-test.ts';

function systemThatIs(state: SystemUnderTest['machine']['state']): SystemUnderTest {
  const system = new SystemUnderTest();
  system.machine.state = state;
  return system;
}

describe('ComputerSystem.Reset', () => {
  it.each([
    ['On', 'On', 'On'],
    ['ForceOn', 'On', 'On'],
    ['ForceOff', 'ForceOff', 'Off'],
    ['GracefulShutdown', 'GracefulShutdown', 'Off'],
    ['GracefulRestart', 'GracefulRestart', 'On'],
    ['ForceRestart', 'ForceRestart', 'On'],
    ['PowerCycle', 'PowerCycle', 'On'],
    ['PushPowerButton', 'GracefulShutdown', 'Off'],
    ['Pause', 'Pause', 'Paused'],
    ['Resume', 'Resume', 'On'],
  ] as const)('%s of a machine that is on requests %s', async (type, action, state) => {
    const system = systemThatIs('On');
    expect(await system.reset(type)).toBeUndefined();
    expect(system.machine.calls).toEqual([{ kind: 'power', action, requester: CALLER.requester }]);
    expect(await system.get()).toMatchObject({ PowerState: state });
  });

  it.each([
    ['On', 'On', 'On'],
    ['ForceOn', 'On', 'On'],
    ['ForceOff', 'ForceOff', 'Off'],
    ['GracefulShutdown', 'GracefulShutdown', 'Off'],
    ['GracefulRestart', 'On', 'On'],
    ['ForceRestart', 'On', 'On'],
    ['PowerCycle', 'On', 'On'],
    ['PushPowerButton', 'On', 'On'],
  ] as const)('%s of a machine that is off requests %s', async (type, action, state) => {
    const system = systemThatIs('Off');
    await system.reset(type);
    expect(system.machine.powerActions).toEqual([action]);
    expect(await system.get()).toMatchObject({ PowerState: state });
  });

  it('Suspend pauses the machine and says that its memory is not on a disk; On continues it', async () => {
    const system = systemThatIs('On');
    expect(await system.reset('Suspend')).toMatchObject({
      messages: [{ MessageId: 'Base.1.19.Success', Resolution: expect.stringContaining('is paused') as string }],
    });
    expect(await system.get()).toMatchObject({ PowerState: 'Paused' });
    expect(await system.reset('On')).toBeUndefined();
    expect(system.machine.powerActions).toEqual(['Pause', 'Resume']);
  });

  it.each(['Pause', 'Suspend', 'Resume'])('%s of a machine that is off is refused with the reason', async (type) => {
    await expect(systemThatIs('Off').reset(type)).rejects.toMatchObject({ code: 'InvalidState' });
  });

  it('does not offer Nmi and says why', async () => {
    const type = 'Nmi';
    const system = systemThatIs('On');
    const { Actions: actions } = (await system.get()) ?? {};
    const reset = (actions as Record<string, Record<string, readonly string[]>>)['#ComputerSystem.Reset'];
    expect(reset?.['ResetType@Redfish.AllowableValues']).toContain('PowerCycle');
    expect(reset?.['ResetType@Redfish.AllowableValues']).not.toContain(type);
    await expect(system.reset(type)).rejects.toThrow('not in the list of its rule');
    expect(system.whyNot('ComputerSystem.Reset', { ResetType: type })).toEqual([
      expect.stringContaining('hypervisor cannot'),
    ]);
  });

  it('passes on the Busy error of the machine', async () => {
    const system = systemThatIs('On');
    system.machine.nextError = new MachineError('Busy', 'it is being migrated');
    await expect(system.reset('ForceRestart')).rejects.toMatchObject({ code: 'Busy' });
  });

  it('uses a fresh power state', async () => {
    const system = systemThatIs('On');
    system.machine.refresh = () => {
      system.machine.state = 'Off';
      return Promise.resolve();
    };
    await system.reset('PowerCycle');
    expect(system.machine.calls).toMatchObject([{ kind: 'power', action: 'On' }]);
  });

  it('does nothing while the power state is not known', async () => {
    const system = systemThatIs('On');
    system.machine.stateError = new MachineError('Unavailable', 'the API server does not answer');
    await expect(system.reset('PowerCycle')).rejects.toMatchObject({ code: 'Unavailable' });
    expect(system.machine.calls).toEqual([]);
  });
});
