import { describe, expect, it } from 'vitest';
import { MEDIA_SLOTS } from '../names.ts';
import { patched } from './testing/builders.ts';
import { ejectPatch, holdsMedia, insertPatch, mediaPlaceIn } from './media-drive.ts';
import type { Disk, VirtualMachine, Volume } from './virtual-machine.ts';

const ROOT: Disk = { name: 'root', disk: { bus: 'virtio' } };
const CD: Disk = { name: 'cd', cdrom: { bus: 'sata' } };
const TOOLS: Disk = { name: 'tools', cdrom: { bus: 'sata' } };
const NOTE = { id: 'i1' };
const own = (name: string, hotpluggable?: boolean): Volume => ({
  name,
  persistentVolumeClaim: { claimName: `${name}-claim`, ...(hotpluggable === undefined ? {} : { hotpluggable }) },
});

function aVm(disks: Disk[] | undefined, volumes: Volume[] | undefined): VirtualMachine {
  const devices = disks === undefined ? {} : { disks };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'a', uid: 'vm-1', resourceVersion: '1' },
    spec: { template: { spec: { domain: { devices }, ...(volumes === undefined ? {} : { volumes }) } } },
  };
}

describe('the place of an image', () => {
  it('is an empty drive, else the first one, else a new one with a free name', () => {
    const volumes = [own('root'), own('tools')];
    expect(mediaPlaceIn(aVm([ROOT, TOOLS, CD], volumes), 'Cd', 'iso', true)).toEqual({
      slot: 'Cd',
      drive: 'cd',
      driveAdded: false,
      volume: 'iso',
      hotpluggable: true,
    });
    expect(mediaPlaceIn(aVm([ROOT, TOOLS], volumes), 'Cd', 'iso', false)).toMatchObject({
      drive: 'tools',
      originalVolume: own('tools'),
    });
    expect(mediaPlaceIn(aVm([ROOT], [own('root'), own('bmc-cd')]), 'Cd', 'iso', true)).toMatchObject({
      drive: 'bmc-cd-2',
      driveAdded: true,
      hotpluggable: false,
    });
  });

  it('is not a drive with the data of a Secret or a ConfigMap, which an agent could not put back', () => {
    const config = { name: 'tools', sysprep: { secret: { name: 'unattend' } } };
    expect(mediaPlaceIn(aVm([TOOLS], [config]), 'Cd', 'iso', true)).toMatchObject({
      drive: 'bmc-cd',
      driveAdded: true,
    });
    expect(mediaPlaceIn(aVm([TOOLS, CD], [config, own('cd')]), 'Cd', 'iso', true)).toMatchObject({ drive: 'cd' });
  });

  it('is always a new disk for a USB stick, whatever USB disks the owner has', () => {
    const vm = aVm([{ name: 'usb', disk: { bus: 'usb' } }, CD], [own('usb')]);
    const place = mediaPlaceIn(vm, 'Usb', 'iso', true);
    expect(place).toEqual({ slot: 'Usb', drive: 'bmc-usb', driveAdded: true, volume: 'iso', hotpluggable: false });
    expect(patched(vm, insertPatch(vm, place, NOTE)).spec.template.spec).toEqual({
      domain: {
        devices: {
          disks: [
            ...(vm.spec.template.spec.domain.devices.disks ?? []),
            { name: 'bmc-usb', disk: { bus: 'usb', readonly: true } },
          ],
        },
      },
      volumes: [own('usb'), { name: 'bmc-usb', dataVolume: { name: 'iso' } }],
    });
  });

  it('is hotpluggable in place of a hotplugged volume only', () => {
    expect(mediaPlaceIn(aVm([TOOLS], [own('tools', true)]), 'Cd', 'iso', true).hotpluggable).toBe(true);
    expect(mediaPlaceIn(aVm([TOOLS], [own('tools')]), 'Cd', 'iso', true).hotpluggable).toBe(false);
  });
});

describe('an image that is inserted and ejected', () => {
  it.each<[string, Disk[] | undefined, Volume[] | undefined]>([
    ['in an empty drive', [ROOT, CD], [own('root')]],
    ['in place of another volume', [TOOLS, ROOT], [own('tools'), own('root')]],
    ['in an added drive', [ROOT], [own('root')]],
    ['in a machine without disks', [], []],
  ])('%s leaves the machine unchanged', (_what, disks, volumes) => {
    for (const slot of MEDIA_SLOTS) {
      for (const hotplugs of [false, true]) {
        const vm = aVm(disks, volumes);
        const place = mediaPlaceIn(vm, slot, 'iso', hotplugs);
        const full = patched(vm, insertPatch(vm, place, NOTE));
        expect(holdsMedia(full.spec.template.spec, place)).toBe(true);
        expect(insertPatch(full, place, NOTE)).toEqual([]);
        expect(patched(full, ejectPatch(full, place))).toEqual(vm);
        expect(ejectPatch(vm, place)).toEqual([]);
      }
    }
  });

  it('leaves the image in the other drive and what restores it', () => {
    const vm = aVm([TOOLS], [own('tools')]);
    const cd = mediaPlaceIn(vm, 'Cd', 'iso', false);
    const stick = mediaPlaceIn(vm, 'Usb', 'img', false);
    const first = patched(vm, insertPatch(vm, cd, NOTE));
    const both = patched(first, insertPatch(first, stick, NOTE));
    expect(patched(both, ejectPatch(both, stick))).toEqual(first);
    const second = patched(both, ejectPatch(both, cd));
    expect(holdsMedia(second.spec.template.spec, stick)).toBe(true);
    expect(patched(second, ejectPatch(second, stick))).toEqual(vm);
  });

  it('adds missing lists', () => {
    const vm = aVm(undefined, undefined);
    const place = mediaPlaceIn(vm, 'Cd', 'iso', false);
    const full = patched(vm, insertPatch(vm, place, NOTE));
    expect(full.spec.template.spec.volumes).toEqual([{ name: 'bmc-cd', dataVolume: { name: 'iso' } }]);
    expect(patched(full, ejectPatch(full, place))).toEqual(aVm([], []));
  });

  it('is not inserted if the owner has changed the drive', () => {
    const place = mediaPlaceIn(aVm([TOOLS], [own('tools')]), 'Cd', 'iso', false);
    expect(insertPatch(aVm([TOOLS], [own('tools', true)]), place, NOTE)).toBeUndefined();
    expect(insertPatch(aVm([ROOT], [own('tools')]), place, NOTE)).toBeUndefined();
    const added = mediaPlaceIn(aVm([ROOT], []), 'Cd', 'iso', false);
    expect(insertPatch(aVm([{ name: 'bmc-cd', cdrom: {} }], []), added, NOTE)).toBeUndefined();
  });

  it('keeps a later volume of the owner', () => {
    const vm = aVm([ROOT], [own('root')]);
    const place = mediaPlaceIn(vm, 'Cd', 'iso', false);
    const full = patched(vm, insertPatch(vm, place, NOTE));
    full.spec.template.spec.volumes = [own('root'), own('bmc-cd')];
    expect(patched(full, ejectPatch(full, place)).spec).toEqual(full.spec);
    // An empty added drive is removed.
    full.spec.template.spec.volumes = [own('root')];
    expect(patched(full, ejectPatch(full, place))).toEqual(vm);
  });

  it.each([
    [own('tools'), 'tools persistentVolumeClaim tools-claim'],
    [{ name: 'tools', dataVolume: { name: 'iso-9' } }, 'tools dataVolume iso-9'],
    [{ name: 'tools', containerDisk: { image: 'a/b:1', path: '/disk.img' } }, 'tools containerDisk a/b:1 /disk.img '],
  ])('names the replaced volume in an annotation: %j', (volume, note) => {
    for (const annotations of [undefined, { owner: 'me' }]) {
      const vm = aVm([TOOLS], [volume]);
      if (annotations !== undefined) vm.metadata.annotations = annotations;
      const place = mediaPlaceIn(vm, 'Cd', 'iso', false);
      const full = patched(vm, insertPatch(vm, place, NOTE));
      const notes = { 'bmc.kubevirt.io/original-volume': note, 'bmc.kubevirt.io/virtual-media': JSON.stringify(NOTE) };
      expect(full.metadata.annotations).toEqual({ ...annotations, ...notes });
      expect(patched(full, ejectPatch(full, place))).toEqual(vm);
    }
  });

  it('leaves the drive empty if a Secret is named as the replaced volume', () => {
    const vm = aVm([CD], [own('cd')]);
    const place = mediaPlaceIn(vm, 'Cd', 'iso', false);
    const full = patched(vm, insertPatch(vm, place, NOTE));
    const forged = { ...place, originalVolume: { name: 'cd', secret: { secretName: 'others' } } };
    expect(patched(full, ejectPatch(full, forged)).spec.template.spec.volumes).toEqual([]);
  });

  it('is inserted only into the version that was read', () => {
    const vm = aVm([ROOT, CD], [own('root')]);
    const patch = insertPatch(vm, mediaPlaceIn(vm, 'Cd', 'iso', true), NOTE);
    expect(patch?.map(({ op, path }) => `${op} ${path}`)).toEqual([
      'test /metadata/resourceVersion',
      'test /spec/template/spec/volumes',
      'replace /spec/template/spec/volumes',
      'add /metadata/annotations',
    ]);
  });
});
