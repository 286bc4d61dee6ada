import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bootOrdersOf, restorePatch, type VirtualMachine, type VirtualMachineInstance } from '../../../api/index.ts';
import jsonPatch from 'fast-json-patch';
import { KubeClient, systemClock } from '../../../kube/index.ts';
import { MachineError, type BootOverride } from '../../../protocols/machine/index.ts';
import { BmcStatus } from '../status/index.ts';
import { aBmc, aVm, aVmi } from '../testing/builders.ts';
import { FakeApi, Killed } from '../testing/fake-api.ts';
import { BootOverrideControl } from './boot-override-control.ts';
import { templateOf } from './saved-override.ts';

type Step =
  | { do: 'set'; override: BootOverride; lapses: boolean }
  | { do: 'clear' }
  | { do: 'settle' }
  | { do: 'boot'; andSettle: boolean }
  | { do: 'power off' }
  /** A client asks for a boot; where the machine then refuses, nothing comes of it. */
  | { do: 'ask for a boot'; boots: boolean }
  | { do: 'time passes'; milliseconds: number }
  /** The owner of the VM adds a disk to its template, or takes the CD-ROM drive out. */
  | { do: 'add disk' }
  | { do: 'remove drive' };

interface Life {
  step: Step;
  /** Requests to the API server until the agent is killed; undefined: it lives. */
  killed: { after: number; when: 'before' | 'after' } | undefined;
}

const LAPSE_AFTER = 60_000;

const override: fc.Arbitrary<BootOverride> = fc.record(
  {
    device: fc.constantFrom('Pxe', 'Hdd', 'Cd'),
    persistence: fc.constantFrom('Once', 'Continuous'),
    firmware: fc.constantFrom('UEFI', 'Legacy'),
    instance: fc.constantFrom(1, 2, 3),
  },
  { requiredKeys: ['device', 'persistence'] },
);

const once: BootOverride = { device: 'Pxe', persistence: 'Once' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('set'), override, lapses: fc.boolean() }),
  fc.record({ do: fc.constant('clear') }),
  fc.record({ do: fc.constant('settle') }),
  fc.record({ do: fc.constant('boot'), andSettle: fc.boolean() }),
  fc.record({ do: fc.constant('power off') }),
  fc.record({ do: fc.constant('ask for a boot'), boots: fc.boolean() }),
  fc.record({ do: fc.constant('time passes'), milliseconds: fc.constantFrom(LAPSE_AFTER / 2, LAPSE_AFTER) }),
);

const edit: fc.Arbitrary<Step> = fc.record({ do: fc.constantFrom('add disk', 'remove drive') });

function lives(of: fc.Arbitrary<Step>): fc.Arbitrary<Life[]> {
  const killed = fc.record({ after: fc.nat(6), when: fc.constantFrom('before', 'after') });
  return fc.array(fc.record({ step: of, killed: fc.option(killed, { nil: undefined }) }), {
    minLength: 1,
    maxLength: 8,
  });
}

/** A machine whose agent may be killed, and the promises that its clients were given. */
class World {
  readonly original: VirtualMachine;
  readonly api: FakeApi;
  #control: BootOverrideControl;
  readonly #lapsed: (BootOverride | undefined)[] = [];
  #boots = 0;
  #now = Date.UTC(2026, 0, 1);
  /** The override that a client was told is in force; 'unknown' after a request that was never answered. */
  promised: BootOverride | 'unknown' | undefined;
  /** When that lapses; it may be gone from then on, and has to be when the agent has looked. */
  #until = Infinity;

  constructor() {
    this.original = aVm();
    const { devices } = this.original.spec.template.spec.domain;
    devices.disks?.push({ name: 'second', disk: { bus: 'virtio' } });
    devices.interfaces?.push({ name: 'second', bridge: {} });
    this.original.spec.template.spec.domain.firmware = {
      uuid: 'u',
      bootloader: { efi: { secureBoot: false, persistent: true } },
    };
    this.api = new FakeApi(aBmc(), structuredClone(this.original));
    this.#control = this.#start();
  }

  async live({ step: next, killed }: Life): Promise<void> {
    if (killed !== undefined) this.api.killAfter(killed.after, killed.when);
    try {
      await this.#do(next);
    } catch (error) {
      if (error instanceof MachineError && error.code === 'NotSupported') return;
      expect(rootOf(error)).toBeInstanceOf(Killed);
      if (next.do === 'set' || next.do === 'clear') this.promised = 'unknown';
      this.#control = this.#start();
    } finally {
      this.api.revive();
    }
  }

  async set(override: BootOverride, { lapses = false } = {}): Promise<void> {
    await this.#control.set(override, lapses ? LAPSE_AFTER : undefined);
    this.promised = override;
    this.#until = lapses ? this.#now + LAPSE_AFTER : Infinity;
    expect(this.#control.lapsesIn).toBe(lapses ? LAPSE_AFTER : undefined);
  }

  async settle(): Promise<void> {
    await this.look();
    this.#expectNoneOverdue();
  }

  /** Settles what it can. */
  async look(): Promise<void> {
    await this.#control.settle(this.#pair);
  }

  /** Milliseconds until the agent is to look again by itself. */
  get lapsesIn(): number | undefined {
    return this.#control.lapsesIn;
  }

  /** The override that the agent says is in force. */
  get inForce(): BootOverride | undefined {
    return this.#control.overrideIn(this.#pair);
  }

  /** Those that were reported as lapsed. */
  get lapsed(): readonly (BootOverride | undefined)[] {
    return this.#lapsed;
  }

  get #pair(): { vm: VirtualMachine; vmi: VirtualMachineInstance | undefined } {
    return { vm: this.api.vm, vmi: this.api.vmi };
  }

  #expectNoneOverdue(): void {
    const expires = this.api.bmc.status?.bootOverride?.expires;
    if (expires !== undefined) expect(Date.parse(expires)).toBeGreaterThan(this.#now);
  }

  #start(): BootOverrideControl {
    const client = new KubeClient({ transport: this.api, fieldManager: 'groundcrew-agent-bmc' });
    const status = new BmcStatus({ client, bmc: { namespace: 'vms', name: 'a-bmc' }, cached: () => this.api.bmc });
    const signal = new AbortController().signal;
    return new BootOverrideControl({
      client,
      machine: { namespace: 'vms', name: 'a' },
      status,
      onSettled: (done, settled) => {
        if (done === 'lapse') this.#lapsed.push(settled);
      },
      clock: { ...systemClock, now: () => this.#now },
      signal,
    });
  }

  async #do(next: Step): Promise<void> {
    switch (next.do) {
      case 'set':
        await this.set(next.override, next);
        return;
      case 'clear':
        await this.#control.set(undefined);
        this.promised = undefined;
        return;
      case 'settle':
        await this.settle();
        return;
      case 'boot':
        this.#boot();
        if (next.andSettle) await this.settle();
        return;
      case 'power off':
        this.api.vmi = undefined;
        return;
      case 'ask for a boot':
        await this.#control.settleBeforeBoot();
        expect(this.api.bmc.status?.bootOverride?.expires).toBeUndefined();
        this.#until = Infinity;
        if (next.boots) this.#boot();
        return;
      case 'time passes':
        this.#now += next.milliseconds;
        if (this.#now >= this.#until) this.promised = 'unknown';
        return;
      case 'add disk':
      case 'remove drive':
        this.#edit(next.do);
        return;
    }
  }

  #edit(which: 'add disk' | 'remove drive'): void {
    for (const edited of [this.original, this.api.vm]) {
      const { devices } = edited.spec.template.spec.domain;
      const others = (devices.disks ?? []).filter(({ name }) => name !== (which === 'add disk' ? 'data' : 'cd'));
      devices.disks = which === 'add disk' ? [...others, { name: 'data', bootOrder: 4, disk: {} }] : others;
    }
    // What boots now is the outcome of both.
    if (this.promised !== undefined) this.promised = 'unknown';
  }

  #boot(): void {
    this.#boots += 1;
    const vmi = aVmi({ uid: `vmi-${this.#boots}`, guest: structuredClone(this.api.vm.spec.template.spec) });
    this.api.vmi = vmi;
    if (this.promised === undefined || this.promised === 'unknown') return;
    expect(firstDevice(templateOf(vmi, this.api.vm))).toMatch(expectedFirst(this.promised));
    // The VMI that settles it may be gone before the agent looks; then the override waits for the one after it.
    if (this.promised.persistence === 'Once') this.promised = 'unknown';
  }
}

/** Of the devices that are there, or that the owner may add. */
const DEVICES: Partial<Record<BootOverride['device'], string[]>> = {
  Pxe: ['interface:default', 'interface:second'],
  Hdd: ['disk:root', 'disk:second', 'disk:data'],
};

function expectedFirst({ device, instance }: BootOverride): RegExp {
  const chosen = instance === undefined ? undefined : DEVICES[device]?.[instance - 1];
  if (chosen !== undefined) return new RegExp(`^${chosen}$`);
  return { Pxe: /^interface:/, Hdd: /^disk:/, Cd: /^cdrom:/, BiosSetup: /^$/ }[device];
}

function firstDevice(vm: VirtualMachine): string | undefined {
  return Object.entries(bootOrdersOf(vm)).find(([, order]) => order === 1)?.[0];
}

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  return root;
}

function restored({ api }: World): VirtualMachine['spec'] {
  const vm = structuredClone(api.vm);
  jsonPatch.applyPatch(vm, restorePatch(vm, api.bmc.status?.bootOverride), true);
  return vm.spec;
}

/** What is pending stays so until the next boot, and what was for one boot is gone after that. */
async function comesToRest(world: World): Promise<void> {
  await world.settle();
  const atRest = structuredClone(world.api.bmc.status);
  await world.settle();
  expect(world.api.bmc.status).toEqual(atRest);
  const saved = world.api.bmc.status?.bootOverride;
  if (saved === undefined) expect(world.api.vm.spec).toEqual(world.original.spec);
  if (saved?.expires !== undefined) {
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER }, killed: undefined });
    expect(world.inForce).toBeUndefined();
    await world.settle();
    expect(world.api.bmc.status?.bootOverride).toBeUndefined();
    expect(world.api.vm.spec).toEqual(world.original.spec);
    return;
  }

  await world.live({ step: { do: 'power off' }, killed: undefined });
  await world.live({ step: { do: 'boot', andSettle: true }, killed: undefined });
  if (saved?.mode === 'Persistent') await world.live({ step: { do: 'clear' }, killed: undefined });
  expect(world.api.bmc.status?.bootOverride).toBeUndefined();
  expect(world.api.vm.spec).toEqual(world.original.spec);
}

describe('a boot override whose agent is killed between any two requests', () => {
  it('never loses the original order, keeps what it has promised, and comes to rest', async () => {
    await fc.assert(
      fc.asyncProperty(lives(step), async (all) => {
        const world = new World();
        for (const one of all) {
          await world.live(one);
          expect(restored(world)).toEqual(world.original.spec);
        }
        await comesToRest(world);
      }),
      { numRuns: 1000 },
    );
  }, 60_000);

  it('comes to what its owner has made of the VM where that changes its devices meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(lives(fc.oneof(step, edit)), async (all) => {
        const world = new World();
        for (const one of all) await world.live(one);
        await comesToRest(world);
      }),
      { numRuns: 1000 },
    );
  }, 60_000);

  it('is refused when it is asked for again and its device is gone', async () => {
    const world = new World();
    const override: BootOverride = { device: 'Cd', persistence: 'Once', firmware: 'UEFI' };
    await world.live({ step: { do: 'set', override, lapses: false }, killed: undefined });
    await world.live({ step: { do: 'remove drive' }, killed: undefined });
    await expect(world.set(override)).rejects.toMatchObject({ code: 'NotSupported' });
  });

  it('is taken back by the next agent where nobody boots the machine in time, which is told once', async () => {
    const world = new World();
    await world.live({ step: { do: 'set', override: once, lapses: true }, killed: undefined });
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER }, killed: undefined });
    // Three reads, and then the template; the next agent finds that done and has the status to clear.
    for (const when of ['after', 'before'] as const) {
      await world.live({ step: { do: 'settle' }, killed: { after: 3, when } });
      expect(world.api.vm.spec).toEqual(world.original.spec);
      expect(world.lapsed).toEqual([]);
    }
    await world.settle();
    await world.settle();
    expect(world.lapsed).toEqual([once]);
    expect(world.api.bmc.status?.bootOverride).toBeUndefined();
    expect(world.api.vm.spec).toEqual(world.original.spec);
  });

  it('is looked at at once where its time came while the agent, having looked, was at something else', async () => {
    const world = new World();
    await world.set(once, { lapses: true });
    await world.settle();
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER + 1 }, killed: undefined });
    expect(world.lapsesIn).toBe(0);
    await world.settle();
    expect(world.lapsesIn).toBeUndefined();
    expect(world.lapsed).toEqual([once]);
  });

  it('is not looked at over and over where its time has come and the VM is being deleted', async () => {
    const world = new World();
    await world.set(once, { lapses: true });
    world.api.edit((vm) => (vm.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'));
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER + 1 }, killed: undefined });
    await world.look();
    expect(world.lapsesIn).toBeUndefined();
  });

  it('lapses no more once a client has asked for a boot, though none came of it', async () => {
    const world = new World();
    await world.live({ step: { do: 'set', override: once, lapses: true }, killed: undefined });
    await world.live({ step: { do: 'ask for a boot', boots: false }, killed: undefined });
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER }, killed: undefined });
    await world.settle();
    expect(world.inForce).toEqual(once);
    expect(world.lapsed).toEqual([]);
  });

  it('that has lapsed is not booted, though the agent comes to it only then', async () => {
    const world = new World();
    await world.live({ step: { do: 'set', override: once, lapses: true }, killed: undefined });
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER }, killed: undefined });
    await world.live({ step: { do: 'ask for a boot', boots: true }, killed: undefined });
    expect(world.lapsed).toEqual([once]);
    expect(world.api.vmi?.spec.domain.devices).toEqual(world.original.spec.template.spec.domain.devices);
  });

  it('has its time again when it is asked for again, and none when it is asked for without', async () => {
    const world = new World();
    await world.set(once, { lapses: true });
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER / 2 }, killed: undefined });
    await world.set(once, { lapses: true });
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER / 2 }, killed: undefined });
    await world.settle();
    expect(world.inForce).toEqual(once);
    await world.set(once);
    await world.live({ step: { do: 'time passes', milliseconds: LAPSE_AFTER }, killed: undefined });
    await world.settle();
    expect(world.inForce).toEqual(once);
  });

  it('is refused whole where KubeVirt has no such thing', async () => {
    const world = new World();
    const setup: BootOverride = { device: 'BiosSetup', persistence: 'Once' };
    const before = structuredClone(world.api.bmc);
    await expect(world.set(setup)).rejects.toThrow(MachineError);
    expect(world.api.bmc).toEqual(before);
  });
});
