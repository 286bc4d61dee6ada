import { describe, expect, it } from 'vitest';
import {
  bootloaderPatch,
  bootModeOf,
  bootModePatch,
  carriesSecureBoot,
  firmwareOf,
  firmwarePatch,
  secureBootOf,
  secureBootPatch,
} from './firmware.ts';
import { aVm, aVmi, patched } from './testing/builders.ts';
import type { Bootloader, Domain, VirtualMachine } from './virtual-machine.ts';

const at = '/spec/template/spec/domain/firmware';

describe('firmwareOf', () => {
  it('is BIOS unless the template has UEFI', () => {
    expect(firmwareOf({ devices: {} })).toBe('Legacy');
    expect(firmwareOf({ devices: {}, firmware: { uuid: 'u' } })).toBe('Legacy');
    expect(firmwareOf({ devices: {}, firmware: { bootloader: { bios: {} } } })).toBe('Legacy');
    expect(firmwareOf({ devices: {}, firmware: { bootloader: { efi: {} } } })).toBe('UEFI');
  });
});

describe('bootloaderPatch', () => {
  const efi = { efi: { secureBoot: false } };

  it('adds the firmware section if absent', () => {
    expect(bootloaderPatch({ devices: {} }, efi)).toEqual([{ op: 'add', path: at, value: { bootloader: efi } }]);
  });

  it('tests the old section', () => {
    const firmware = { uuid: 'u' };
    expect(bootloaderPatch({ devices: {}, firmware }, efi)).toEqual([
      { op: 'test', path: at, value: firmware },
      { op: 'add', path: `${at}/bootloader`, value: efi },
    ]);
  });

  it('removes the boot loader, and a section with nothing else', () => {
    const firmware = { uuid: 'u', bootloader: efi };
    expect(bootloaderPatch({ devices: {}, firmware }, undefined)[1]).toEqual({
      op: 'remove',
      path: `${at}/bootloader`,
    });
    expect(bootloaderPatch({ devices: {}, firmware: { bootloader: efi } }, undefined)[1]).toEqual({
      op: 'remove',
      path: at,
    });
  });

  it('is empty without a boot loader', () => {
    expect(bootloaderPatch({ devices: {} }, undefined)).toEqual([]);
    expect(bootloaderPatch({ devices: {}, firmware: { uuid: 'u' } }, undefined)).toEqual([]);
  });
});

describe('firmwarePatch', () => {
  it('is empty if nothing changes', () => {
    expect(firmwarePatch({ devices: {} }, 'Legacy')).toEqual([]);
  });
});

function uefi(bootloader: Bootloader, features?: Domain['features']): VirtualMachine {
  const vm = aVm({ firmware: { uuid: 'u-1', bootloader }, ...(features && { features }) });
  return { ...vm, metadata: { ...vm.metadata, resourceVersion: '7' } };
}

function domainAfter(vm: VirtualMachine, isOn: boolean): Domain {
  return patched(vm, secureBootPatch(vm, isOn)).spec.template.spec.domain;
}

describe('bootModePatch', () => {
  const NVRAM = { efi: { secureBoot: false, persistent: true } };

  function switched(vm: VirtualMachine, ...modes: ('UEFI' | 'Legacy')[]): VirtualMachine {
    return modes.reduce((before, mode) => patched(before, bootModePatch(before, mode)), vm);
  }

  it.each<[string, VirtualMachine, 'UEFI' | 'Legacy']>([
    ['UEFI with NVRAM', uefi(NVRAM), 'Legacy'],
    ['UEFI with Secure Boot', uefi({ efi: {} }, { smm: {} }), 'Legacy'],
    ['a BIOS on the serial console', uefi({ bios: { useSerial: true } }), 'UEFI'],
    ['no boot loader', aVm({ firmware: { uuid: 'u-1' } }), 'UEFI'],
    ['no firmware section', aVm(), 'UEFI'],
  ])('replaces %s, and the way back restores it', (_what, vm, mode) => {
    const there = switched(vm, mode);
    expect(bootModeOf(there)).toBe(mode);
    expect(bootModePatch(there, mode)).toEqual([]);
    expect(switched(there, mode === 'UEFI' ? 'Legacy' : 'UEFI')).toEqual(vm);
  });

  it('does not restore a boot loader of the other mode, or an invalid note', () => {
    const edited = switched(uefi(NVRAM), 'Legacy');
    edited.spec.template.spec.domain.firmware = { bootloader: { efi: { secureBoot: false } } };
    expect(switched(edited, 'Legacy').spec.template.spec.domain.firmware?.bootloader).toEqual({ bios: {} });
    const invalid = aVm();
    invalid.metadata.annotations = { 'bmc.kubevirt.io/replaced-bootloader': '[]' };
    expect(bootModeOf(switched(invalid, 'UEFI'))).toBe('UEFI');
  });

  it('names the firmware in the template of a VM whose preference has chosen it', () => {
    const vm = aVm();
    vm.spec.preference = { name: 'windows' };
    expect(bootModeOf(vm)).toBeUndefined();
    const there = switched(vm, 'Legacy');
    expect(there.spec.template.spec.domain.firmware?.bootloader).toEqual({ bios: {} });
    expect(there.metadata.annotations).toBeUndefined();
  });

  it('is rejected if the VM has changed since', () => {
    const vm = uefi({ efi: {} });
    const edited = { ...vm, metadata: { ...vm.metadata, resourceVersion: 'another' } };
    expect(() => patched(edited, bootModePatch(vm, 'Legacy'))).toThrow(/test/i);
  });
});

describe('secureBootOf', () => {
  it.each<[Bootloader | undefined, boolean | undefined]>([
    [undefined, undefined],
    [{ bios: {} }, undefined],
    [{ efi: {} }, true],
    [{ efi: { secureBoot: true } }, true],
    [{ efi: { secureBoot: false, persistent: true } }, false],
  ])('of %o is %s', (bootloader, expected) => {
    expect(secureBootOf(bootloader)).toBe(expected);
  });
});

describe('secureBootPatch', () => {
  it('switches it on, with SMM, and keeps the rest', () => {
    const efi = { secureBoot: false, persistent: true };
    const on = { uuid: 'u-1', bootloader: { efi: { secureBoot: true, persistent: true } } };
    const smm = { enabled: true };
    expect(domainAfter(uefi({ efi }), true)).toMatchObject({ firmware: on, features: { smm } });
    expect(domainAfter(uefi({ efi }, { acpi: {} }), true)).toMatchObject({ firmware: on, features: { acpi: {}, smm } });
    expect(domainAfter(uefi({ efi }, { smm: { enabled: false } }), true).features).toEqual({ smm });
    expect(domainAfter(uefi({ efi }, { smm: {} }), true).features).toEqual({ smm: {} });
  });

  it('switches it off and keeps the features', () => {
    const domain = domainAfter(uefi({ efi: {} }, { smm: {} }), false);
    expect(domain).toMatchObject({ firmware: { bootloader: { efi: { secureBoot: false } } }, features: { smm: {} } });
  });

  it('is empty if nothing changes, and for a BIOS', () => {
    expect(secureBootPatch(uefi({ efi: {} }), true)).toEqual([]);
    expect(secureBootPatch(uefi({ efi: { secureBoot: false } }), false)).toEqual([]);
    expect(secureBootPatch(uefi({ bios: {} }), true)).toEqual([]);
    expect(secureBootPatch(aVm(), false)).toEqual([]);
  });

  it('is rejected if the VM has changed since', () => {
    const vm = uefi({ efi: {} });
    const edited = { ...vm, metadata: { ...vm.metadata, resourceVersion: 'another' } };
    expect(() => patched(edited, secureBootPatch(vm, false))).toThrow(/test/i);
  });
});

describe('carriesSecureBoot', () => {
  it.each<[Bootloader | undefined, Bootloader | undefined, boolean]>([
    [{ efi: {} }, { efi: { secureBoot: true } }, true],
    [{ efi: { secureBoot: false } }, { efi: {} }, false],
    [undefined, { efi: {} }, true],
  ])('of a template with %o and a VMI with %o is %s', (template, running, expected) => {
    const vm = template === undefined ? aVm() : uefi(template);
    const vmi = aVmi();
    const firmware = running === undefined ? {} : { bootloader: running };
    const made = { ...vmi, spec: { ...vmi.spec, domain: { ...vmi.spec.domain, firmware } } };
    expect(carriesSecureBoot(made, vm)).toBe(expected);
  });
});
