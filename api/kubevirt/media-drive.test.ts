import { describe, expect, it } from 'vitest';
import { patched } from './testing/builders.ts';
import { ejectPatch, holdsMedia, insertPatch, mediaPlaceIn } from './media-drive.ts';
import type { Disk, VirtualMachine, Volume } from './virtual-machine.ts';

const ROOT: Disk = { name: 'root', disk: { bus: 'virtio' } };
const CD: Disk = { name: 'cd', cdrom: { bus: 'sata' } };
const TOOLS: Disk = { name: 'tools', cdrom: { bus: 'sata' } };
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
  it('is an empty drive, else the first one, else one that is added under a name that is free', () => {
    const volumes = [own('root'), own('tools')];
    expect(mediaPlaceIn(aVm([ROOT, TOOLS, CD], volumes), 'iso', true)).toEqual({
      drive: 'cd',
      driveAdded: false,
      volume: 'iso',
      hotpluggable: true,
    });
    expect(mediaPlaceIn(aVm([ROOT, TOOLS], volumes), 'iso', false)).toMatchObject({
      drive: 'tools',
      originalVolume: own('tools'),
    });
    expect(mediaPlaceIn(aVm([ROOT], [own('root'), own('bmc-cd')]), 'iso', true)).toMatchObject({
      drive: 'bmc-cd-2',
      driveAdded: true,
      hotpluggable: false,
    });
  });

  it('takes turns with what the owner has there while the guest runs, where that was plugged in', () => {
    expect(mediaPlaceIn(aVm([TOOLS], [own('tools', true)]), 'iso', true).hotpluggable).toBe(true);
    expect(mediaPlaceIn(aVm([TOOLS], [own('tools')]), 'iso', true).hotpluggable).toBe(false);
  });
});

describe('an image that goes in and comes out', () => {
  it.each<[string, Disk[] | undefined, Volume[] | undefined]>([
    ['of an empty drive', [ROOT, CD], [own('root')]],
    ['in the place of what is there', [TOOLS, ROOT], [own('tools'), own('root')]],
    ['of a drive that is added', [ROOT], [own('root')]],
    ['of a machine that would rather have nothing', [], []],
  ])('%s leaves the machine as it was', (_what, disks, volumes) => {
    for (const hotplugs of [false, true]) {
      const vm = aVm(disks, volumes);
      const place = mediaPlaceIn(vm, 'iso', hotplugs);
      const full = patched(vm, insertPatch(vm, place));
      expect(holdsMedia(full.spec.template.spec, place)).toBe(true);
      expect(insertPatch(full, place)).toEqual([]);
      expect(patched(full, ejectPatch(full, place))).toEqual(vm);
      expect(ejectPatch(vm, place)).toEqual([]);
    }
  });

  it('makes the lists that a machine lacks', () => {
    const vm = aVm(undefined, undefined);
    const place = mediaPlaceIn(vm, 'iso', false);
    const full = patched(vm, insertPatch(vm, place));
    expect(full.spec.template.spec.volumes).toEqual([{ name: 'bmc-cd', dataVolume: { name: 'iso' } }]);
    expect(patched(full, ejectPatch(full, place))).toEqual(aVm([], []));
  });

  it('does not go in where the owner has changed the drive since it was looked at', () => {
    const place = mediaPlaceIn(aVm([TOOLS], [own('tools')]), 'iso', false);
    expect(insertPatch(aVm([TOOLS], [own('tools', true)]), place)).toBeUndefined();
    expect(insertPatch(aVm([ROOT], [own('tools')]), place)).toBeUndefined();
    const added = mediaPlaceIn(aVm([ROOT], []), 'iso', false);
    expect(insertPatch(aVm([{ name: 'bmc-cd', cdrom: {} }], []), added)).toBeUndefined();
  });

  it('leaves what the owner has put in its place meanwhile', () => {
    const vm = aVm([ROOT], [own('root')]);
    const place = mediaPlaceIn(vm, 'iso', false);
    const full = patched(vm, insertPatch(vm, place));
    full.spec.template.spec.volumes = [own('root'), own('bmc-cd')];
    expect(ejectPatch(full, place)).toEqual([]);
    // A drive that was left behind goes.
    full.spec.template.spec.volumes = [own('root')];
    expect(patched(full, ejectPatch(full, place))).toEqual(vm);
  });

  it('holds for the machine as it was read alone', () => {
    const vm = aVm([ROOT, CD], [own('root')]);
    const patch = insertPatch(vm, mediaPlaceIn(vm, 'iso', true));
    expect(patch?.map(({ op, path }) => `${op} ${path}`)).toEqual([
      'test /metadata/resourceVersion',
      'test /spec/template/spec/volumes',
      'replace /spec/template/spec/volumes',
    ]);
  });
});
