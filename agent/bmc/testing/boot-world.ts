import { isDeepStrictEqual } from 'node:util';
import jsonPatch from 'fast-json-patch';
import { expect } from 'vitest';
import {
  BOOT_OVERRIDE_ANNOTATION,
  bootModePatch,
  bootOrdersOf,
  type FirmwareMode,
  firmwareOf,
  firmwareSetupOf,
  httpBootOf,
  ordersFor,
  ordersPatch,
  notedOverrideOf,
  overrideToUndo,
  restorePatch,
  type VirtualMachine,
  type VirtualMachineInstance,
  withImpliedDevices,
} from '../../../api/index.ts';
import { KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { type BootOverride, MachineError } from '../../../protocols/machine/index.ts';
import { BootOverrideControl } from '../kubevirt/boot/boot-override-control.ts';
import { FirmwareControl } from '../kubevirt/boot/firmware-control.ts';
import { FirmwareSetup } from '../kubevirt/boot/firmware-setup.ts';
import { templateOf } from '../kubevirt/boot/saved-override.ts';
import { BmcStatus } from '../objects/bmc-status.ts';
import { aBareGuest, aBmc, aVm, aVmi } from './builders.ts';
import { FakeApi, Killed, POD_BINDING } from './fake-api.ts';

/** ms */
export const LAPSE_AFTER = 60_000;
const PAUSED_AFTER = 11_000;

/** An event in the life of a machine with a BMC. */
export type Step =
  | { do: 'set'; override: BootOverride; lapses: boolean }
  | { do: 'clear' }
  /** A client changes the machine's own boot order. */
  | { do: 'set order'; order: readonly string[] }
  /** A client changes the machine's own boot mode. */
  | { do: 'set mode'; mode: FirmwareMode }
  | { do: 'settle' }
  | { do: 'boot'; andSettle: boolean }
  | { do: 'power off' }
  /** A client requests a boot, which the machine may refuse. */
  | { do: 'ask for a boot'; boots: boolean }
  | { do: 'time passes'; milliseconds: number }
  /** A user pauses the machine some ms after its start, or resumes it. */
  | { do: 'pause'; after?: number }
  | { do: 'resume' }
  /** The owner of the VM adds a disk to its template, or takes the CD-ROM drive out. */
  | { do: 'add disk' }
  | { do: 'remove drive' }
  /** The override becomes one that an earlier version set, or whose status an earlier CRD has pruned. */
  | { do: 'downgrade'; prunesOnly: boolean };

export interface Life {
  step: Step;
  /**
   * Number of requests until the agent is killed before or after the next one, or all objects are restored from a backup
   * without status; undefined: neither.
   */
  killed: { after: number; when: 'before' | 'after' | 'restored' } | undefined;
}

/** A machine whose agent may be killed, and the promises that its clients were given. */
export class BootWorld {
  original: VirtualMachine;
  readonly api: FakeApi;
  #control: BootOverrideControl;
  #setup: FirmwareSetup;
  #firmware: FirmwareControl;
  /** How often the agent has resumed the machine. */
  resumed = 0;
  /** Whether a user has paused the machine. */
  #isPausedByPerson = false;
  readonly #lapsed: (BootOverride | undefined)[] = [];
  #boots = 0;
  #now = Date.UTC(2026, 0, 1);
  /** The override that a client was told is in force; 'unknown' after a request that was never answered. */
  promised: BootOverride | 'unknown' | undefined;
  /** Time of its expiry. It may be removed from then on, and must be removed after `settle`. */
  #until = Infinity;

  /**
   * `networkFirst`: its own boot order has the interfaces first. `startsPaused`: its owner starts it paused. `isBare`: its
   * template has only volumes.
   */
  constructor({ networkFirst = false, startsPaused = false, isBare = false } = {}) {
    this.original = isBare ? aVm({ guest: aBareGuest() }) : aVm();
    this.original.metadata.resourceVersion = '1';
    if (startsPaused) this.original.spec.template.spec.startStrategy = 'Paused';
    const { devices } = this.original.spec.template.spec.domain;
    devices.disks?.push({ name: 'second', disk: { bus: 'usb' } });
    devices.interfaces?.push({ name: 'second', bridge: {} });
    if (networkFirst) this.#put(this.original, ['interface:default', 'disk:root']);
    this.original.spec.template.spec.domain.firmware = {
      uuid: 'u',
      bootloader: { efi: { secureBoot: false, persistent: true } },
    };
    this.api = new FakeApi(aBmc(), structuredClone(this.original));
    ({ control: this.#control, setup: this.#setup, firmware: this.#firmware } = this.#start());
  }

  async live({ step: next, killed }: Life): Promise<void> {
    if (next.do === 'downgrade') {
      this.#downgrade(next.prunesOnly);
      // Only the settled one survives a restore.
      if (killed?.when !== 'restored') await this.live({ step: { do: 'settle' }, killed });
      await this.look();
      return;
    }
    if (killed?.when === 'restored') this.api.restoreAfter(killed.after);
    else if (killed !== undefined) this.api.killAfter(killed.after, killed.when);
    try {
      await this.#do(next);
    } catch (error) {
      if (error instanceof MachineError && ['NotSupported', 'InvalidState'].includes(error.code)) return;
      if (killed?.when !== 'restored') expect(rootOf(error)).toBeInstanceOf(Killed);
      if (next.do === 'set' || next.do === 'clear') this.promised = 'unknown';
      if (next.do === 'set order') this.#acceptEither(next.order);
      if (next.do === 'set mode' && this.#firmware.modeIn(this.api.vm) === next.mode) this.#own(next.mode);
    } finally {
      if (this.api.revive()) ({ control: this.#control, setup: this.#setup, firmware: this.#firmware } = this.#start());
      if (this.api.vmi === undefined) this.#isPausedByPerson = false;
      if (this.#isPausedByPerson) expect(this.isPaused).toBe(true);
    }
  }

  /** @returns whether the override has changed */
  async set(override: BootOverride, { lapses = false } = {}): Promise<boolean> {
    const isAnother = await this.#control.set(override, lapses ? LAPSE_AFTER : undefined);
    this.promised = override;
    this.#until = lapses ? this.#now + LAPSE_AFTER : Infinity;
    expect(this.lapsesIn).toBe(lapses ? LAPSE_AFTER : undefined);
    return isAnother;
  }

  /** @returns whether there was an override */
  async clear(): Promise<boolean> {
    const wasThere = await this.#control.set(undefined);
    this.promised = undefined;
    return wasThere;
  }

  async settle(): Promise<void> {
    await this.look();
    this.#expectNoneOverdue();
    expect(this.isPaused).toBe(this.#isPausedByPerson);
  }

  /** Runs the background work. */
  async look(): Promise<void> {
    await this.#control.settle(this.#pair);
    await this.#setup.settle(this.api.vmi);
  }

  get isPaused(): boolean {
    return this.api.vmi?.status?.conditions?.some(({ type }) => type === 'Paused') === true;
  }

  /** Whether the agent is about to resume it. */
  get isHeld(): boolean {
    return this.#setup.holds(this.api.vmi);
  }

  /** Milliseconds until the agent must check for expiry. */
  get lapsesIn(): number | undefined {
    return this.#control.lapsesIn(this.#pair.vm);
  }

  /** The override in force, according to the agent. */
  get inForce(): BootOverride | undefined {
    return this.#control.overrideIn(this.#pair);
  }

  /** The VM according to the agent while the watch has `cached`. */
  latest(cached: VirtualMachine): VirtualMachine {
    return this.#control.latest(cached);
  }

  /** Boot orders without the override. */
  get own(): Record<string, number> {
    return this.#control.ownOrdersIn(this.api.vm);
  }

  async setOrder(order: readonly string[]): Promise<boolean> {
    return await this.#control.setOrder(order);
  }

  async setMode(mode: FirmwareMode): Promise<void> {
    await this.#firmware.setMode(mode, new AbortController().signal);
    this.#own(mode);
  }

  /** Overrides that were reported as expired. */
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

  #start(): { control: BootOverrideControl; setup: FirmwareSetup; firmware: FirmwareControl } {
    const client = new KubeClient({ transport: this.api, fieldManager: 'groundcrew-agent-bmc' });
    const status = new BmcStatus({ client, bmc: { namespace: 'vms', name: 'a-bmc' }, cached: () => this.api.bmc });
    const signal = new AbortController().signal;
    const machine = { namespace: 'vms', name: 'a' };
    const setup = new FirmwareSetup({ ...{ client, machine, status }, onResumed: () => (this.resumed += 1) });
    const clock = { ...systemClock, now: () => this.#now };
    const firmware = new FirmwareControl({ client, machine, status, clock, signal });
    const control = new BootOverrideControl({
      ...{ client, machine, status },
      onSettled: (done, settled) => {
        if (done === 'lapse') this.#lapsed.push(settled);
      },
      clock,
      signal,
    });
    return { control, setup, firmware };
  }

  async #do(next: Exclude<Step, { do: 'downgrade' }>): Promise<void> {
    switch (next.do) {
      case 'set':
        await this.set(next.override, next);
        return;
      case 'clear':
        await this.clear();
        return;
      case 'set order':
        await this.#control.setOrder(next.order);
        this.original = this.#ordered(next.order);
        return;
      case 'set mode':
        await this.setMode(next.mode);
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
        this.#isPausedByPerson = false;
        return;
      case 'ask for a boot':
        await this.#control.settleBeforeBoot();
        expect(notedOverrideOf(this.api.vm)?.expires).toBeUndefined();
        this.#until = Infinity;
        if (next.boots) this.#boot();
        return;
      case 'time passes':
        this.#pass(next.milliseconds);
        return;
      case 'pause':
        this.#pauseAfter(next.after);
        return;
      case 'resume':
        if (this.api.vmi !== undefined) this.#setPaused(this.api.vmi, false);
        this.#isPausedByPerson = false;
        return;
      case 'add disk':
      case 'remove drive':
        this.#edit(next.do);
        return;
    }
  }

  #pauseAfter(milliseconds = PAUSED_AFTER): void {
    this.#pass(milliseconds);
    if (this.api.vmi === undefined || this.isPaused) return;
    this.#setPaused(this.api.vmi, true);
    this.#isPausedByPerson = true;
  }

  #pass(milliseconds: number): void {
    this.#now += milliseconds;
    if (this.#now >= this.#until) this.promised = 'unknown';
  }

  #setPaused(vmi: VirtualMachineInstance, isPaused: boolean): void {
    const lastTransitionTime = new Date(this.#now).toISOString();
    const paused = { type: 'Paused', status: 'True', reason: 'PausedByUser', lastTransitionTime } as const;
    this.api.put({ ...vmi, status: { ...vmi.status, conditions: isPaused ? [paused] : [] } });
  }

  #expectedFirst({ device, instance }: BootOverride): RegExp {
    if (device === 'BiosSetup') return new RegExp(`^${firstDevice(this.original) ?? 'undefined'}$`);
    const { disks = [], interfaces = [] } = withImpliedDevices(this.original.spec.template.spec).domain.devices;
    if (instance !== undefined && device === 'Hdd') {
      const plain = disks.filter(({ cdrom }) => cdrom === undefined);
      return new RegExp(`^disk:${plain[instance - 1]?.name ?? ''}$`);
    }
    if (instance !== undefined && (device === 'Pxe' || device === 'UefiHttp')) {
      return new RegExp(`^interface:${interfaces[instance - 1]?.name ?? ''}$`);
    }
    return { Pxe: /^interface:/, Hdd: /^disk:/, Cd: /^cdrom:/, Usb: /^disk:second$/, UefiHttp: /^interface:/ }[device];
  }

  /** The original as it is with another order. */
  #ordered(order: readonly string[]): VirtualMachine {
    const vm = structuredClone(this.original);
    this.#put(vm, order);
    return vm;
  }

  #put(vm: VirtualMachine, order: readonly string[]): void {
    jsonPatch.applyPatch(vm, ordersPatch(vm, ordersFor(vm, order), POD_BINDING), true);
  }

  /** The client got no answer: the order is the previous or the requested one. */
  #acceptEither(order: readonly string[]): void {
    const ordered = this.#ordered(order);
    if (isDeepStrictEqual(bootOrdersOf({ ...ordered, spec: restored(this) }), bootOrdersOf(ordered))) {
      this.original = ordered;
    }
  }

  /** The owner's machine has another boot mode. */
  #own(mode: FirmwareMode): void {
    jsonPatch.applyPatch(this.original, bootModePatch(this.original, mode), true);
  }

  #edit(which: 'add disk' | 'remove drive'): void {
    for (const edited of [this.original, this.api.vm]) {
      const { devices } = edited.spec.template.spec.domain;
      const others = (devices.disks ?? []).filter(({ name }) => name !== (which === 'add disk' ? 'data' : 'cd'));
      // KubeVirt keeps no list that is empty.
      if (which === 'remove drive' && others.length === 0) continue;
      devices.disks = which === 'add disk' ? [...others, { name: 'data', bootOrder: 4, disk: {} }] : others;
    }
    // The next boot device depends on both changes.
    if (this.promised !== undefined) this.promised = 'unknown';
  }

  #downgrade(prunesOnly: boolean): void {
    const saved = notedOverrideOf(this.api.vm);
    if (saved === undefined) return;
    if (!prunesOnly) {
      this.api.edit(({ metadata }) => Reflect.deleteProperty(metadata.annotations ?? {}, BOOT_OVERRIDE_ANNOTATION));
    }
    const { uid: vmUID = '' } = this.api.vm.metadata;
    this.api.bmc = { ...this.api.bmc, status: { ...this.api.bmc.status, bootOverride: { ...saved, vmUID } } };
  }

  #boot(): void {
    this.#boots += 1;
    const { metadata, spec } = structuredClone(this.api.vm.spec.template);
    const vmi = aVmi({ uid: `vmi-${this.#boots}`, guest: withImpliedDevices(spec, POD_BINDING) });
    vmi.metadata.annotations = { ...metadata?.annotations, 'kubevirt.io/vm-generation': '1' };
    const started = { phase: 'Running', phaseTransitionTimestamp: new Date(this.#now).toISOString() };
    vmi.status = { ...vmi.status, phaseTransitionTimestamps: [started] };
    this.#setPaused(vmi, spec.startStrategy === 'Paused');
    this.#isPausedByPerson = spec.startStrategy === 'Paused' && firmwareSetupOf(metadata) === undefined;
    if (this.promised === undefined || this.promised === 'unknown') return;
    const { device, persistence, uri, firmware } = this.promised;
    expect(firmwareOf(vmi.spec.domain)).toBe(
      firmware ?? (device === 'UefiHttp' ? 'UEFI' : firmwareOf(this.original.spec.template.spec.domain)),
    );
    expect(firstDevice(templateOf(vmi, this.api.vm)) ?? 'undefined').toMatch(this.#expectedFirst(this.promised));
    expect(firmwareSetupOf(vmi.metadata)).toBe(device === 'BiosSetup' ? persistence : undefined);
    expect(vmi.spec.startStrategy).toBe(
      device === 'BiosSetup' ? 'Paused' : this.original.spec.template.spec.startStrategy,
    );
    const http = { persistence, ...(uri !== undefined && { uri }) };
    expect(httpBootOf(vmi.metadata)).toEqual(device === 'UefiHttp' ? http : undefined);
    // The VMI may end before the agent sees it; then the override applies to the next VMI.
    if (this.promised.persistence === 'Once') this.promised = 'unknown';
  }
}

/** The device that a VM's template has first; undefined: none. */
export function firstDevice(vm: VirtualMachine): string | undefined {
  return Object.entries(bootOrdersOf(vm)).find(([, order]) => order === 1)?.[0];
}

function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause !== undefined) root = root.cause;
  return root;
}

/** The VM's spec as it is when the override has been undone. */
export function restored({ api }: BootWorld): VirtualMachine['spec'] {
  const vm = structuredClone(api.vm);
  jsonPatch.applyPatch(vm, restorePatch(vm, overrideToUndo(api.bmc, vm)), true);
  return vm.spec;
}
