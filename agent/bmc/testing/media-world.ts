import jsonPatch from 'fast-json-patch';
import { expect } from 'vitest';
import {
  ejectMediaPatch,
  MEDIA_ANNOTATIONS,
  MEDIA_SLOTS,
  type MediaSlot,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { MachineError } from '../../../protocols/machine/index.ts';
import { beginInsertion } from '../kubevirt/media/begin-insertion.ts';
import { entryOf } from '../kubevirt/media/media-drive.ts';
import { MediaLogin } from '../kubevirt/media/media-login.ts';
import { MediaSteps } from '../kubevirt/media/media-steps.ts';
import { hasStrayImage } from '../kubevirt/media/next-step.ts';
import { BmcStatus } from '../objects/bmc-status.ts';
import { aBmc, aGuest, aVm, aVmi } from './builders.ts';
import { FakeApi } from './fake-api.ts';

/** An event in the life of a drive. `downgrade`: an earlier version has inserted the image. `start`, `stop`: of the guest. `wait`: before its start. */
export type MediaEvent =
  | 'insert'
  | 'insert detached'
  | 'eject'
  | 'settle'
  | 'import'
  | 'fail'
  | 'downgrade'
  | 'start'
  | 'wait'
  | 'stop';

export interface MediaLife {
  event: MediaEvent;
  /** The drive that it is about. */
  slot: MediaSlot;
  /** Like {@link Life} of a boot override. */
  killed: { after: number; when: 'before' | 'after' | 'restored' } | undefined;
}

/** A machine whose agent may be killed. */
export class MediaWorld {
  readonly original: VirtualMachine;
  readonly api: FakeApi;
  /** What was reported to users. */
  readonly told: string[] = [];
  #insertions = 0;
  #starts = 0;

  /** @param drive the CD-ROM drive; `none`: the VM has none; `full`: it has a volume of the owner */
  constructor(drive: 'none' | 'empty' | 'full') {
    const guest = aGuest();
    const disks = guest.domain.devices.disks?.filter(({ cdrom }) => drive !== 'none' || cdrom === undefined) ?? [];
    const tools = { name: 'cd', persistentVolumeClaim: { claimName: 'tools' } };
    const volumes = [{ name: 'root' }, ...(drive === 'full' ? [tools] : [])];
    const devices = { ...guest.domain.devices, disks };
    this.original = aVm({ guest: { ...guest, domain: { ...guest.domain, devices }, volumes } });
    this.api = new FakeApi(aBmc(), structuredClone(this.original));
  }

  /** The VM's spec after the ejection of all that is in it, in one patch. */
  get ejected(): VirtualMachine['spec'] {
    const vm = structuredClone(this.api.vm);
    jsonPatch.applyPatch(vm, ejectMediaPatch(this.api.bmc, vm), true);
    return vm.spec;
  }

  /** The drives that are reported as full while a guest runs that does not have the image. */
  get overstated(): MediaSlot[] {
    const { bmc, vmi } = this.api;
    return MEDIA_SLOTS.filter((slot) => {
      const entry = entryOf(bmc, slot);
      if (entry?.progress !== '100.0%' || entry.phase !== 'Inserted' || entry.detached === true) return false;
      return vmi?.spec.volumes?.some(({ dataVolume }) => dataVolume?.name === entry.volume) === false;
    });
  }

  /** The volumes that a machine waits for before its boot, and that do not exist. */
  get missing(): string[] {
    const { vmi, volumes } = this.api;
    if (vmi?.status?.phase !== 'Pending') return [];
    const names = vmi.spec.volumes?.flatMap(({ dataVolume }) => (dataVolume === undefined ? [] : [dataVolume.name]));
    return (names ?? []).filter((name) => !volumes.has(name));
  }

  async live({ event, slot, killed }: MediaLife): Promise<void> {
    if (event === 'downgrade') {
      this.#downgrade();
      // Only the settled one survives a restore.
      if (killed?.when !== 'restored') await this.live({ event: 'settle', slot, killed });
      await this.live({ event: 'settle', slot, killed: undefined });
      return;
    }
    if (killed?.when === 'restored') this.api.restoreAfter(killed.after);
    else if (killed !== undefined) this.api.killAfter(killed.after, killed.when);
    try {
      await this.#do(event, slot);
    } catch (error) {
      // A drive that is in use refuses an image.
      if (killed === undefined) expect(error).toBeInstanceOf(MachineError);
    } finally {
      this.api.revive();
    }
  }

  /** The machine with the guest that the VM describes now. */
  #started(phase: 'Pending' | 'Running'): VirtualMachineInstance {
    this.#starts += 1;
    return aVmi({ guest: structuredClone(this.api.vm.spec.template.spec), phase, uid: `vmi-${this.#starts}` });
  }

  /** Earlier versions had only a CD-ROM drive. */
  #downgrade(): void {
    const { vm, bmc } = this.api;
    if (hasStrayImage(vm, 'Cd', entryOf(bmc, 'Cd'))) return;
    this.api.edit(({ metadata }) => Reflect.deleteProperty(metadata.annotations ?? {}, MEDIA_ANNOTATIONS.Cd));
  }

  async #do(event: Exclude<MediaEvent, 'downgrade'>, slot: MediaSlot): Promise<void> {
    const client = new KubeClient({ transport: this.api, fieldManager: 'groundcrew-agent-bmc' });
    const bmc = { namespace: 'vms', name: 'a-bmc' };
    const context = {
      ...{ client, clock: systemClock, logger: silentLogger, signal: new AbortController().signal },
      machine: { namespace: 'vms', name: 'a' },
      status: new BmcStatus({ client, bmc, cached: () => this.api.bmc }),
      report: (_type: string, reason: string) => this.told.push(reason),
      powerCycle: () => {
        this.api.put(this.#started('Pending'));
        return Promise.resolve();
      },
    };
    const stepsOf = (one: MediaSlot): MediaSteps => new MediaSteps(one, new MediaLogin(client, bmc, one), context);
    const steps = stepsOf(slot);
    const read = await context.status.read();
    const entry = entryOf(read, slot);
    const volume = this.api.volumes.get(entry?.volume ?? '');
    switch (event) {
      case 'settle':
        break;
      case 'insert':
      case 'insert detached': {
        await steps.advance();
        this.#insertions += 1;
        const order = { url: new URL('http://images.example/a.iso') };
        const insertion = { slot, id: `i${this.#insertions}`, order, size: 1, attach: event === 'insert' };
        const current = await context.status.read();
        await steps.write(current, await beginInsertion(insertion, current, context));
        break;
      }
      case 'eject':
        if (entry === undefined || entry.phase === 'Ejected') break;
        await steps.write(read, { ...entry, phase: 'Ejecting', inserted: false });
        break;
      case 'start':
      case 'wait':
        this.api.put(this.api.vmi ?? this.#started(event === 'start' ? 'Running' : 'Pending'));
        break;
      case 'stop':
        this.api.vmi = undefined;
        break;
      case 'import':
      case 'fail':
        if (volume !== undefined) volume.status = { phase: event === 'fail' ? 'Failed' : 'Succeeded' };
    }
    await steps.advance();
    for (const other of MEDIA_SLOTS) if (other !== slot) await stepsOf(other).advance();
  }
}
