import { describe, expect, it, vi } from 'vitest';
import { bootOrdersOf } from '../../../api/index.ts';
import { aborted, KubeClient, systemClock, type Transport } from '@groundcrew/controller-runtime';
import { FakeClock, silentLogger } from '@groundcrew/controller-runtime/testing';
import { MachineError, type BootOverride, type PowerAction, type Requester } from '../../../protocols/machine/index.ts';
import { MemoryConsole, MemoryDisplay, MemoryEventLog, MemoryMedia } from '../../../protocols/testing/index.ts';
import { BmcStatus } from '../objects/bmc-status.ts';
import { aBmc, aVm, aVmi } from '../testing/builders.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { BootOverrideControl } from './boot/boot-override-control.ts';
import { FirmwareControl } from './boot/firmware-control.ts';
import { KubeVirtMachine, type ActionReport, type KubeVirtMachineOptions } from './kubevirt-machine.ts';
import { RestorePolicyControl } from './power/restore-policy.ts';
import { SerialQueue } from '../../../protocols/serial-queue.ts';

const never = (): never => {
  throw new Error('not asked here');
};

const PXE: BootOverride = { device: 'Pxe', persistence: 'Once' };

const NO_OVERRIDE: KubeVirtMachineOptions['bootOverride'] = {
  latest: (cached) => cached,
  overrideIn: () => undefined,
  ownOrdersIn: bootOrdersOf,
  set: never,
  setOrder: never,
  settleBeforeBoot: never,
};

function aMachine(options: Partial<KubeVirtMachineOptions>): KubeVirtMachine {
  return new KubeVirtMachine({
    machine: { namespace: 'vms', name: 'a' },
    jitter: () => 0,
    cached: () => ({ vm: aVm(), vmi: undefined }),
    isFresh: () => true,
    refresh: never,
    power: { stateOf: () => 'Off', power: never },
    bootOverride: NO_OVERRIDE,
    firmware: {
      latest: (cached) => cached,
      modeIn: () => undefined,
      secureBootIn: () => undefined,
      setMode: never,
      setSecureBoot: never,
    },
    restorePolicy: { policyOf: () => undefined, set: never },
    log: new MemoryEventLog(),
    console: new MemoryConsole(),
    display: new MemoryDisplay(),
    media: new MemoryMedia(),
    hardware: never,
    sensors: () => [],
    clock: systemClock,
    queue: new SerialQueue(),
    report: () => undefined,
    logger: silentLogger,
    ...options,
  });
}

describe('the power state of a machine', () => {
  it('is derived from the caches', () => {
    expect(aMachine({}).powerState()).toBe('Off');
  });

  it('is unknown before the caches are filled', () => {
    expect(() => aMachine({ cached: () => undefined }).powerState()).toThrow('has not answered yet');
  });

  it('is unknown if the watches are stale: fencing must not rely on outdated state', () => {
    expect(() => aMachine({ isFresh: () => false }).powerState()).toThrow('the power state is not known');
  });

  it('is read again only if the cache is stale', async () => {
    let isFresh = true;
    const refresh = (): Promise<void> => {
      isFresh = true;
      return Promise.resolve();
    };
    const machine = aMachine({ isFresh: () => isFresh, refresh });
    expect(machine.refresh()).toBeUndefined();
    isFresh = false;
    await machine.refresh();
    expect(machine.powerState()).toBe('Off');
  });

  it('has no known start time while it is unknown', () => {
    expect(() => aMachine({ isFresh: () => false }).poweredOnSince()).toThrow('the power state is not known');
  });
});

describe("a client's request to a machine", () => {
  const requester: Requester = { protocol: 'Redfish', user: 'admin', address: '10.0.0.1' };

  it.each<[PowerAction, string, string]>([
    ['GracefulRestart', 'GracefulRestart', 'Ask to restart'],
    ['Pause', 'Pause', 'Pause'],
    ['Resume', 'Resume', 'Resume'],
  ])('for %s is reported in Events and in the log', async (action, reason, words) => {
    const reports: ActionReport[] = [];
    const asked: string[] = [];
    const log = new MemoryEventLog();
    const power = {
      stateOf: () => 'On' as const,
      power: (which: PowerAction) => {
        asked.push(which);
        return Promise.resolve(true);
      },
    };
    const bootOverride = {
      ...NO_OVERRIDE,
      settleBeforeBoot: () => {
        asked.push('settle');
        return Promise.resolve({ vm: aVm(), vmi: undefined });
      },
    };
    const machine = aMachine({ power, bootOverride, log, report: (report) => void reports.push(report) });
    await machine.power(action, requester);
    // The machine must boot what the client was promised.
    expect(asked).toEqual(action === 'GracefulRestart' ? ['settle', action] : [action]);
    expect(reports).toEqual([
      { outcome: 'accepted', reason, message: `${words}, as admin asked over Redfish from 10.0.0.1` },
    ]);
    expect(log.entries().map(({ event }) => event)).toEqual([
      { kind: 'PowerAction', action, outcome: 'Accepted', requester },
    ]);
  });

  it('can set or clear a boot order, and is reported', async () => {
    const reports: ActionReport[] = [];
    const log = new MemoryEventLog();
    const bootOverride = { ...NO_OVERRIDE, setOrder: () => Promise.resolve(true) };
    const machine = aMachine({ bootOverride, log, report: (report) => void reports.push(report) });
    await machine.setBootOrder(['cdrom:cd', 'disk:root'], requester);
    await machine.setBootOrder([], requester);
    expect(reports.map(({ reason, message }) => [reason, message])).toEqual([
      ['BootOrderSet', 'Set the boot order cdrom:cd, disk:root, as admin asked over Redfish from 10.0.0.1'],
      ['BootOrderSet', 'Set the boot order of the platform, as admin asked over Redfish from 10.0.0.1'],
    ]);
    expect(log.entries().map(({ event }) => event)).toEqual([
      { kind: 'BootOrder', order: 'cdrom:cd, disk:root', outcome: 'Accepted', requester },
      { kind: 'BootOrder', order: undefined, outcome: 'Accepted', requester },
    ]);
  });

  it('can set a boot over HTTP, and is reported without secrets of its URI', async () => {
    const reports: ActionReport[] = [];
    const bootOverride = { ...NO_OVERRIDE, set: () => Promise.resolve(true) };
    const machine = aMachine({ bootOverride, report: (report) => void reports.push(report) });
    const uri = 'https://me:secret@10.0.0.1/boot.iso?token=secret';
    await machine.setBootOverride({ device: 'UefiHttp', persistence: 'Once', uri }, requester);
    expect(reports[0]?.message).toBe(
      'Boot once over HTTP from https://10.0.0.1/boot.iso, as admin asked over Redfish from 10.0.0.1',
    );
  });

  it('is not reported if it changes nothing, since tools write back what they have read', async () => {
    const reports: ActionReport[] = [];
    const log = new MemoryEventLog();
    const answers = [true, false, true, false];
    const bootOverride = { ...NO_OVERRIDE, set: () => Promise.resolve(answers.shift() ?? false) };
    const machine = aMachine({ bootOverride, log, report: (report) => void reports.push(report) });
    for (const override of [PXE, PXE, undefined, undefined]) await machine.setBootOverride(override, requester);
    expect(reports.map(({ reason }) => reason)).toEqual(['BootOverrideSet', 'BootOverrideCleared']);
    expect(log.entries()).toHaveLength(2);
  });

  it('is reported if refused, and once more when it is in effect: its answer may be lost', async () => {
    const reports: ActionReport[] = [];
    const set = vi.fn<(override: BootOverride | undefined) => Promise<boolean>>(() => Promise.resolve(false));
    set.mockRejectedValueOnce(new MachineError('Unavailable', 'the API server is away'));
    const bootOverride = { ...NO_OVERRIDE, set };
    const machine = aMachine({ bootOverride, report: (report) => void reports.push(report) });
    await expect(machine.setBootOverride(PXE, requester)).rejects.toThrow('is away');
    for (let times = 0; times < 2; times += 1) await machine.setBootOverride(PXE, requester);
    expect(reports.map(({ reason }) => reason)).toEqual(['BootOverrideSetRefused', 'BootOverrideSet']);
  });

  it.each([
    ['waits for other work', 'IPMI', 4_000, 'Refused'],
    ['waits for other work', 'Redfish', 10_000, 'Refused'],
    ['has no answer', 'IPMI', 4_000, 'Refused'],
    ['has no answer to a call', 'IPMI', 4_000, 'Unknown'],
  ] as const)('that %s is answered in time by %s, and is not done later', async (how, protocol, within, outcome) => {
    const [clock, queue] = [new FakeClock(), new SerialQueue()];
    const reports: ActionReport[] = [];
    const log = new MemoryEventLog();
    const asked: PowerAction[] = [];
    const power = {
      stateOf: () => 'On' as const,
      power: async (action: PowerAction, deadline: AbortSignal = new AbortController().signal) => {
        asked.push(action);
        await aborted(deadline);
        throw new MachineError('Timeout', 'no answer', { mayBeDone: how.endsWith('call') });
      },
    };
    const machine = aMachine({ power, clock, queue, log, report: (report) => void reports.push(report) });
    const { promise: other, resolve: finish } = Promise.withResolvers<undefined>();
    const isWaiting = how.startsWith('waits');
    if (isWaiting) void queue.run(() => other);
    const refused = expect(machine.power('ForceOff', { ...requester, protocol })).rejects.toMatchObject({
      code: 'Timeout',
    });
    await clock.advance(within);
    await refused;
    finish(undefined);
    await queue.run(() => Promise.resolve());
    expect(asked).toEqual(isWaiting ? [] : ['ForceOff']);
    expect(reports).toEqual([expect.objectContaining({ outcome: 'refused', reason: `PowerOff${outcome}` })]);
    expect(log.entries()[0]?.event).toMatchObject({ kind: 'PowerAction', outcome });
  });

  it('can be read back before the watches deliver it', () => {
    const written = aVm();
    const [disk] = written.spec.template.spec.domain.devices.disks ?? [];
    if (disk !== undefined) disk.bootOrder = 2;
    const [nic] = written.spec.template.spec.domain.devices.interfaces ?? [];
    if (nic !== undefined) nic.bootOrder = 1;
    const hardware: KubeVirtMachineOptions['hardware'] = ({ vm }) => {
      expect(vm).toBe(written);
      return { manufacturer: 'KubeVirt', networkInterfaces: [], disks: [] };
    };
    const machine = aMachine({ bootOverride: { ...NO_OVERRIDE, latest: () => written }, hardware });
    expect(machine.bootOptions().map(({ id, order }) => [id, order])).toEqual([
      ['disk:root', 2],
      ['cdrom:cd', undefined],
      ['interface:default', 1],
    ]);
    expect(machine.hardware().manufacturer).toBe('KubeVirt');
  });

  it('reads no options of a VM that does not exist', () => {
    expect(aMachine({ cached: () => ({ vm: undefined, vmi: undefined }) }).bootOptions()).toEqual([]);
    expect(
      aMachine({})
        .bootOptions()
        .map(({ id, order }) => [id, order]),
    ).toEqual([
      ['disk:root', 1],
      ['cdrom:cd', undefined],
      ['interface:default', undefined],
    ]);
  });
});

describe('a setting whose write may have been done', () => {
  const requester: Requester = { protocol: 'IPMI', user: 'admin', address: '10.0.0.1' };

  /** A machine whose API server carries out all writes; `answer` is called instead of answering them. */
  function aSilent(answer: (signal: AbortSignal | undefined) => Promise<never>) {
    const api = new FakeApi(aBmc(), aVm());
    api.vm.spec.template.spec.domain.firmware = { bootloader: { efi: { secureBoot: false } } };
    api.vmi = aVmi();
    const transport: Transport = {
      request: async (request) => {
        const served = await api.request(request);
        return request.method === 'PATCH' ? await answer(request.signal) : served;
      },
      close: () => Promise.resolve(),
    };
    const [clock, signal] = [new FakeClock(), new AbortController().signal];
    const client = new KubeClient({ transport, fieldManager: 'groundcrew-agent-bmc' });
    const status = new BmcStatus({ client, bmc: { namespace: 'vms', name: 'a-bmc' }, cached: () => api.bmc });
    const parts = { client, status, machine: { namespace: 'vms', name: 'a' }, clock, signal };
    const reports: ActionReport[] = [];
    const bootOverride = new BootOverrideControl(parts);
    const [firmware, restorePolicy] = [new FirmwareControl(parts), new RestorePolicyControl(parts)];
    const report = (told: ActionReport): void => void reports.push(told);
    return { machine: aMachine({ bootOverride, firmware, restorePolicy, clock, report }), api, clock, reports };
  }

  const SETTINGS: [string, (machine: KubeVirtMachine) => Promise<void>, string[]][] = [
    ['boot override', (machine) => machine.setBootOverride(PXE, requester), ['BootOverrideSetUnknown']],
    ['boot order', (machine) => machine.setBootOrder(['cdrom:cd'], requester), ['BootOrderSetUnknown']],
    ['restore policy', (machine) => machine.setRestorePolicy('AlwaysOn', requester), ['RestorePolicySetUnknown']],
    ['boot mode', (machine) => machine.setBootMode('Legacy', requester), []],
    ['Secure Boot', (machine) => machine.setSecureBoot(true, requester), []],
  ];

  it.each(SETTINGS)('is not reported as refused when time runs out: %s', async (_, set, reasons) => {
    const written = Promise.withResolvers<void>();
    const { machine, clock, reports } = aSilent(async (deadline = new AbortController().signal) => {
      written.resolve();
      await aborted(deadline);
      throw new Error('aborted');
    });
    const told = expect(set(machine)).rejects.toMatchObject({
      code: 'Timeout',
      mayBeDone: true,
      message: expect.stringMatching(/within 4 s; it may have been done: read the setting/) as string,
    });
    await written.promise;
    await clock.advance(4_000);
    await told;
    expect(reports.map(({ reason }) => reason)).toEqual(reasons);
  });

  it.each(SETTINGS)('is not reported as refused when the answer is lost: %s', async (_, set, reasons) => {
    const { machine, reports } = aSilent(() => Promise.reject(new Error('ECONNRESET')));
    await expect(set(machine)).rejects.toMatchObject({ code: 'Unavailable', mayBeDone: true });
    expect(reports.map(({ reason }) => reason)).toEqual(reasons);
  });

  it('does not make the outcome of a power command unknown, which has not begun', async () => {
    const { machine, api, reports } = aSilent(() => Promise.reject(new Error('ECONNRESET')));
    await expect(machine.setBootOverride(PXE, requester, 60_000)).rejects.toThrow('may have been done');
    // The machine has booted once since.
    api.vmi = aVmi({ uid: 'another' });
    await expect(machine.power('PowerCycle', requester)).rejects.toMatchObject({ mayBeDone: false });
    expect(reports.map(({ reason }) => reason)).toEqual(['BootOverrideSetUnknown', 'PowerCycleRefused']);
  });
});
