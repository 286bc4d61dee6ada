import jsonPatch, { type Operation } from 'fast-json-patch';
import { describe, expect, it } from 'vitest';
import { carriesSecureBoot, secureBootOf, secureBootPatch } from './secure-boot.ts';
import { aVm, aVmi } from './testing/builders.ts';
import type { Bootloader, Domain, VirtualMachine } from './virtual-machine.ts';

function uefi(bootloader: Bootloader, features?: Domain['features']): VirtualMachine {
  const vm = aVm({ firmware: { uuid: 'u-1', bootloader }, ...(features && { features }) });
  return { ...vm, metadata: { ...vm.metadata, resourceVersion: '7' } };
}

function domainAfter(vm: VirtualMachine, isOn: boolean): Domain {
  const operations = structuredClone(secureBootPatch(vm, isOn)) as Operation[];
  return jsonPatch.applyPatch(structuredClone(vm), operations, true).newDocument.spec.template.spec.domain;
}

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
  it('switches it on with what KubeVirt wants for it, and leaves the rest as it is', () => {
    const efi = { secureBoot: false, persistent: true };
    const on = { uuid: 'u-1', bootloader: { efi: { secureBoot: true, persistent: true } } };
    const smm = { enabled: true };
    expect(domainAfter(uefi({ efi }), true)).toMatchObject({ firmware: on, features: { smm } });
    expect(domainAfter(uefi({ efi }, { acpi: {} }), true)).toMatchObject({ firmware: on, features: { acpi: {}, smm } });
    expect(domainAfter(uefi({ efi }, { smm: { enabled: false } }), true).features).toEqual({ smm });
    expect(domainAfter(uefi({ efi }, { smm: {} }), true).features).toEqual({ smm: {} });
  });

  it('switches it off, and leaves the features as they are', () => {
    const domain = domainAfter(uefi({ efi: {} }, { smm: {} }), false);
    expect(domain).toMatchObject({ firmware: { bootloader: { efi: { secureBoot: false } } }, features: { smm: {} } });
  });

  it('is empty where it is so already, and for a BIOS', () => {
    expect(secureBootPatch(uefi({ efi: {} }), true)).toEqual([]);
    expect(secureBootPatch(uefi({ efi: { secureBoot: false } }), false)).toEqual([]);
    expect(secureBootPatch(uefi({ bios: {} }), true)).toEqual([]);
    expect(secureBootPatch(aVm(), false)).toEqual([]);
  });

  it('is refused whole where the VM has changed since', () => {
    const vm = uefi({ efi: {} });
    const edited = { ...vm, metadata: { ...vm.metadata, resourceVersion: 'another' } };
    const operations = secureBootPatch(vm, false) as Operation[];
    expect(() => jsonPatch.applyPatch(edited, operations, true)).toThrow(/test/i);
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
