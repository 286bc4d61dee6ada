import { describe, expect, it } from 'vitest';
import {
  carriesFirmwareSetup,
  carriesHttpBoot,
  firmwareSetupOf,
  HTTP_BOOT_ANNOTATION,
  type HttpBoot,
  httpBootNote,
  httpBootOf,
  type JsonPatchOp,
  templateNotesPatch,
} from './template-notes.ts';
import type { VirtualMachine } from './virtual-machine.ts';
import { bootOrderPatch, carriesOrder, NoBootDeviceError, restorePatch, savedBootOf } from './boot-order.ts';
import { aVm, aVmi, patched } from './testing/builders.ts';

const URI = 'https://10.0.0.1/boot.efi';
const HTTP_BOOT = 'bmc.kubevirt.io/http-boot';
const FIRMWARE_SETUP = 'bmc.kubevirt.io/firmware-setup';

type TemplateMetadata = VirtualMachine['spec']['template']['metadata'];

function changed(vm: VirtualMachine, change: (vm: VirtualMachine) => unknown): VirtualMachine {
  const copy = structuredClone(vm);
  change(copy);
  return copy;
}

function vmWith(metadata: TemplateMetadata): VirtualMachine {
  return changed(aVm(), (vm) => (vm.spec.template.metadata = metadata));
}

function httpBootPatch(vm: VirtualMachine, boot: HttpBoot | undefined): JsonPatchOp[] {
  return templateNotesPatch(vm, { [HTTP_BOOT_ANNOTATION]: httpBootNote(boot) });
}

function withHttpBoot(vm: VirtualMachine, boot: HttpBoot | undefined): TemplateMetadata {
  return patched(vm, httpBootPatch(vm, boot)).spec.template.metadata;
}

describe('the HTTP boot annotation', () => {
  it.each<[string, HttpBoot | undefined]>([
    [`Once ${URI}`, { persistence: 'Once', uri: URI }],
    ['Continuous', { persistence: 'Continuous' }],
    ['Twice', undefined],
    [`Once ${URI} ${URI}`, undefined],
    ['', undefined],
  ])('is parsed from %j', (note, boot) => {
    expect(httpBootOf({ annotations: { [HTTP_BOOT]: note } })).toEqual(boot);
  });

  it('is undefined if absent', () => {
    expect([httpBootOf(undefined), httpBootOf(null), httpBootOf({})]).toEqual([undefined, undefined, undefined]);
  });

  it.each<[string, TemplateMetadata]>([
    ['without metadata', undefined],
    ['without metadata, as KubeVirt may show it', null],
    ['without annotations', { labels: { app: 'web' } }],
    ['with annotations of its own', { labels: { app: 'web' }, annotations: { own: 'yes', 'a/b~c': 'd' } }],
    ['with annotations of its own alone', { annotations: { own: 'yes' } }],
  ])('is added to a template %s and removed without a trace', (_, metadata) => {
    const boot: HttpBoot = { persistence: 'Once', uri: URI };
    const noted = withHttpBoot(vmWith(metadata), boot);
    expect(httpBootOf(noted)).toEqual(boot);
    expect(noted).toMatchObject(metadata ?? {});
    expect(httpBootPatch(vmWith(noted), boot)).toEqual([]);
    expect(withHttpBoot(vmWith(noted), undefined)).toEqual(metadata ?? undefined);
  });

  it('is not written to a changed VM', () => {
    const touched = changed(aVm(), (vm) => (vm.metadata.resourceVersion = '8'));
    expect(() => patched(touched, httpBootPatch(aVm(), { persistence: 'Once' }))).toThrow('Test operation failed');
    const patch = httpBootPatch(vmWith({ annotations: { own: 'yes' } }), { persistence: 'Once' });
    expect(() => patched(vmWith({ annotations: { own: 'no' } }), patch)).toThrow('Test');
  });

  it('is compared between a VMI and the template', () => {
    const noted = vmWith({ annotations: { [HTTP_BOOT]: 'Once' } });
    expect(carriesHttpBoot({ annotations: { [HTTP_BOOT]: 'Once', other: 'x' } }, noted)).toBe(true);
    expect(carriesHttpBoot({}, noted)).toBe(false);
    expect(carriesHttpBoot({}, aVm())).toBe(true);
  });
});

const choice = { target: 'BiosSetup', setup: 'Once' } as const;
const disks = [{ name: 'root', bootOrder: 1, disk: {} }];
const plain = aVm({ devices: { disks } });

describe('the firmware setup', () => {
  it.each<[string, VirtualMachine]>([
    ['with the default start strategy', plain],
    ['with annotations', changed(plain, (vm) => (vm.spec.template.metadata = { annotations: { own: 'yes' } }))],
    ['that its owner starts paused', changed(plain, (vm) => (vm.spec.template.spec.startStrategy = 'Paused'))],
  ])('is written to a VM %s and removed, without changes of the boot order', (_what, vm) => {
    const saved = savedBootOf(vm, choice);
    const written = patched(vm, bootOrderPatch(vm, choice));
    expect(firmwareSetupOf(written.spec.template.metadata)).toBe('Once');
    expect(written.spec.template.spec).toEqual({ ...vm.spec.template.spec, startStrategy: 'Paused' });
    expect(patched(written, restorePatch(written, saved))).toEqual(vm);
    expect(restorePatch(vm, saved)).toEqual([]);
  });

  it('is combined with another firmware, which is restored', () => {
    const bootloader = { efi: { secureBoot: false, persistent: true } };
    const vm = changed(plain, ({ spec }) => (spec.template.spec.domain.firmware = { uuid: 'u', bootloader }));
    const saved = savedBootOf(vm, choice, 'Legacy');
    const written = patched(vm, bootOrderPatch(vm, choice, 'Legacy'));
    expect(written.spec.template.spec.domain.firmware?.bootloader).toEqual({ bios: {} });
    expect(patched(written, restorePatch(written, saved))).toEqual(vm);
  });

  it('is neither written to nor removed from a changed VM', () => {
    const later = changed(plain, (vm) => (vm.metadata.resourceVersion = '8'));
    expect(() => patched(later, bootOrderPatch(plain, choice))).toThrow('Test operation failed');
    const written = patched(plain, bootOrderPatch(plain, choice));
    const taken = changed(written, (vm) => delete vm.spec.template.spec.startStrategy);
    expect(() => patched(taken, restorePatch(written, savedBootOf(plain, choice)))).toThrow();
    expect(patched(taken, restorePatch(taken, savedBootOf(plain, choice)))).toEqual(plain);
  });

  it('is refused for a VM that KubeVirt does not start paused', () => {
    const probed = changed(plain, (vm) => (vm.spec.template.spec.livenessProbe = {}));
    expect(() => savedBootOf(probed, choice)).toThrow(NoBootDeviceError);
  });

  it('is compared between a VMI and the template', () => {
    const noted = changed(plain, (vm) => (vm.spec.template.metadata = { annotations: { [FIRMWARE_SETUP]: 'Once' } }));
    const vmi = aVmi('Running', plain);
    expect(carriesOrder(vmi, plain)).toBe(true);
    expect(carriesOrder(vmi, noted)).toBe(false);
    expect(carriesFirmwareSetup({ annotations: { [FIRMWARE_SETUP]: 'Once' } }, noted)).toBe(true);
    expect(firmwareSetupOf({ annotations: { [FIRMWARE_SETUP]: 'Twice' } })).toBeUndefined();
    expect([firmwareSetupOf(undefined), firmwareSetupOf(null)]).toEqual([undefined, undefined]);
  });
});
