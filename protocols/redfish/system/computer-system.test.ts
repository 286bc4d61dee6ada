import { beforeEach, describe, expect, it } from 'vitest';
import { MachineError, type PowerState } from '../../machine/index.ts';
import { checkAgainstSchema, needsSchemas } from '../testing/check-against-schema.ts';
import { CALLER } from '../testing/index.ts';
import { SystemUnderTest } from '../testing/system-under-test.ts';

let system: SystemUnderTest;

beforeEach(() => {
  system = new SystemUnderTest();
});

describe('ComputerSystem', () => {
  it('shows the machine’s data', async () => {
    expect(await system.get()).toMatchObject({
      Name: 'default/testvm',
      SystemType: 'Virtual',
      Manufacturer: 'Example',
      Model: 'u1.medium',
      SerialNumber: 'S-1',
      UUID: '5d307ca9-b3ef-428c-8861-06e72d69f223',
      HostName: 'vm-7',
      SKU: 'K-1',
      BiosVersion: 'firmware:v1',
      ProcessorSummary: {
        Count: 2,
        CoreCount: 4,
        LogicalProcessorCount: 8,
        ThreadingEnabled: true,
        Model: 'host-model',
      },
      MemorySummary: { TotalSystemMemoryGiB: 1.5 },
    });
  });

  it.each<[PowerState, string, string | null]>([
    ['Off', 'StandbyOffline', 'None'],
    ['PoweringOn', 'Starting', null],
    ['On', 'Enabled', 'OSRunning'],
    ['PoweringOff', 'Enabled', null],
    ['Paused', 'Quiesced', 'OSRunning'],
  ])('that is %s is %s', async (power, state, progress) => {
    system.machine.state = power;
    expect(await system.get()).toMatchObject({
      PowerState: power,
      Status: { State: state, Health: 'OK', HealthRollup: 'OK' },
      BootProgress: { LastState: progress },
    });
  });

  it.each([
    ['no watchdog', undefined, undefined, [false, 'None']],
    [
      'a timer that IPMI clients have stopped',
      { isRunning: false, action: 'PowerCycle' },
      undefined,
      [false, 'PowerCycle'],
    ],
    ['a running timer', { isRunning: true, action: 'None' }, 'PowerDown', [true, 'None']],
    ['a device', { isRunning: false, action: 'None' }, 'Reset', [true, 'ResetSystem']],
  ] as const)('shows %s', async (_, timer, watchdog, [FunctionEnabled, TimeoutAction]) => {
    system.bmc.watchdog = timer;
    system.machine.parts = { ...system.machine.parts, watchdog };
    expect(await system.get()).toMatchObject({ HostWatchdogTimer: { FunctionEnabled, TimeoutAction } });
  });

  it('omits the boot progress without a guest agent', async () => {
    system.machine.parts = { ...system.machine.parts, operatingSystem: undefined };
    expect(await system.get()).toMatchObject({ HostName: null, BootProgress: { LastState: null } });
  });

  it('was last reset at power-on', async () => {
    expect(await system.get()).not.toHaveProperty('LastResetTime');
    system.machine.poweredOn = Date.UTC(2026, 0, 2, 3, 4, 5);
    expect(await system.get()).toMatchObject({ LastResetTime: '2026-01-02T03:04:05Z' });
  });

  it.each([
    ['ForceRestart', 'Accepted', '1970-01-01T00:00:00Z'],
    ['ForceRestart', 'Refused', '1969-12-31T23:59:59Z'],
    ['GracefulRestart', 'Accepted', '1969-12-31T23:59:59Z'],
  ] as const)('with a later %s that was %s shows the last reset %s', async (action, outcome, at) => {
    system.machine.poweredOn = -1000;
    system.machine.log.append({ kind: 'PowerAction', action, outcome, requester: CALLER.requester });
    expect(await system.get()).toMatchObject({ LastResetTime: at });
  });

  it('has its serial console unless legacy properties place it at the Manager', async () => {
    expect(await system.get()).toMatchObject({
      SerialConsole: { MaxConcurrentSessions: 0, IPMI: { ServiceEnabled: false, Port: null } },
    });
    system.bmc.network = { ...system.bmc.network, ipmiPort: 623 };
    expect(await system.get()).toMatchObject({
      SerialConsole: { MaxConcurrentSessions: 1, IPMI: { ServiceEnabled: true, Port: 623 } },
    });
    system.bmc.legacyProperties = true;
    expect(await system.get()).not.toHaveProperty('SerialConsole');
  });

  it('has the consoles of the web console, while that is on and the machine has a screen', async () => {
    const off = { ServiceEnabled: false, Port: null, MaxConcurrentSessions: 0, ConnectTypesSupported: [] };
    expect(await system.get()).not.toHaveProperty('GraphicalConsole');
    let isOn = false;
    Object.assign(system.bmc.options, { webConsole: { isEnabled: () => isOn } });
    expect(await system.get()).toMatchObject({
      GraphicalConsole: off,
      SerialConsole: { MaxConcurrentSessions: 0, WebSocket: { ServiceEnabled: false } },
    });
    isOn = true;
    const shown = await system.get();
    expect(shown).toMatchObject({
      GraphicalConsole: { ServiceEnabled: true, Port: 443, MaxConcurrentSessions: 8, ConnectTypesSupported: ['KVMIP'] },
      SerialConsole: {
        MaxConcurrentSessions: 8,
        WebSocket: { ServiceEnabled: true, ConsoleURI: '/console0', Interactive: true },
      },
    });
    system.machine.display.present = false;
    expect(await system.get()).toMatchObject({ GraphicalConsole: off });
  });

  it('conforms to its schema with a web console', needsSchemas, async () => {
    Object.assign(system.bmc.options, { webConsole: { isEnabled: () => true } });
    expect(checkAgainstSchema((await system.get()) ?? {})).toEqual([]);
  });

  it.each([
    ['AlwaysOn', 'AlwaysOn'],
    ['AlwaysOff', 'AlwaysOff'],
    ['Previous', 'LastState'],
  ] as const)('shows the restore policy %s as %s', async (policy, word) => {
    system.machine.policy = policy;
    expect(await system.get()).toMatchObject({ PowerRestorePolicy: word });
  });

  it('sets the restore policy, and passes on why the machine refuses it', async () => {
    system.machine.policy = 'AlwaysOn';
    await system.patch({ PowerRestorePolicy: 'LastState' });
    expect(await system.get()).toMatchObject({ PowerRestorePolicy: 'LastState' });
    expect(system.machine.calls).toMatchObject([{ kind: 'restorePolicy', policy: 'Previous' }]);
    expect(system.bmc.audited).toEqual([]);
    system.machine.nextError = new MachineError('InvalidState', 'it is off');
    await expect(system.patch({ PowerRestorePolicy: 'AlwaysOn' })).rejects.toMatchObject({ code: 'InvalidState' });
  });
});

describe('a PATCH of labels', () => {
  it('stores an asset tag; null restores the machine’s own', async () => {
    expect(await system.get()).toMatchObject({ AssetTag: null });
    await system.patch({ AssetTag: 'rack 7' });
    expect(await system.get()).toMatchObject({ AssetTag: 'rack 7' });
    await system.patch({ AssetTag: '' });
    expect(await system.get()).toMatchObject({ AssetTag: '' });
    await system.patch({ AssetTag: null });
    system.machine.parts = { ...system.machine.parts, assetTag: 'owner’s' };
    expect(await system.get()).toMatchObject({ AssetTag: 'owner’s' });
  });

  it('sets the indicator by either name', async () => {
    await system.patch({ LocationIndicatorActive: true });
    expect(await system.get()).toMatchObject({ LocationIndicatorActive: true });
    expect(await system.get()).not.toHaveProperty('IndicatorLED');
    system.bmc.legacyProperties = true;
    expect(await system.get()).toMatchObject({ IndicatorLED: 'Lit' });
    await system.patch({ IndicatorLED: 'Off' });
    expect(await system.get()).toMatchObject({ LocationIndicatorActive: false, IndicatorLED: 'Off' });
    await system.patch({ IndicatorLED: 'Lit' });
    expect(await system.get()).toMatchObject({ LocationIndicatorActive: true, IndicatorLED: 'Lit' });
  });

  it('is audited, without the changes that the machine logs itself', async () => {
    await system.patch({ AssetTag: 'rack 7', LocationIndicatorActive: true });
    await system.patch({ Boot: { BootSourceOverrideTarget: 'Pxe' } });
    expect(system.bmc.audited).toEqual(['System: AssetTag, LocationIndicatorActive changed']);
  });

  it('changes neither the machine nor other settings', async () => {
    await system.bmc.state.change(() => ({ settings: { sessionTimeout: 60 } }));
    await system.patch({ AssetTag: 'a', LocationIndicatorActive: false });
    expect(system.bmc.state.current().settings).toEqual({ sessionTimeout: 60, assetTag: 'a', indicatorActive: false });
    expect(system.machine.calls).toEqual([]);
  });

  it('fails if it cannot be stored', async () => {
    system.bmc.state.nextError = new Error('no store');
    await expect(system.patch({ AssetTag: 'a' })).rejects.toThrow('no store');
  });
});
