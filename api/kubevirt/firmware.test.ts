import { describe, expect, it } from 'vitest';
import { bootloaderPatch, firmwareOf, firmwarePatch } from './firmware.ts';

const at = '/spec/template/spec/domain/firmware';

describe('firmwareOf', () => {
  it('is BIOS unless the template says UEFI', () => {
    expect(firmwareOf({ devices: {} })).toBe('Legacy');
    expect(firmwareOf({ devices: {}, firmware: { uuid: 'u' } })).toBe('Legacy');
    expect(firmwareOf({ devices: {}, firmware: { bootloader: { bios: {} } } })).toBe('Legacy');
    expect(firmwareOf({ devices: {}, firmware: { bootloader: { efi: {} } } })).toBe('UEFI');
  });
});

describe('bootloaderPatch', () => {
  const efi = { efi: { secureBoot: false } };

  it('makes the firmware section where there is none', () => {
    expect(bootloaderPatch({ devices: {} }, efi)).toEqual([{ op: 'add', path: at, value: { bootloader: efi } }]);
  });

  it('is guarded by the section as it was', () => {
    const firmware = { uuid: 'u' };
    expect(bootloaderPatch({ devices: {}, firmware }, efi)).toEqual([
      { op: 'test', path: at, value: firmware },
      { op: 'add', path: `${at}/bootloader`, value: efi },
    ]);
  });

  it('removes the boot loader, and a section that holds nothing else', () => {
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

  it('has nothing to remove where there is no boot loader', () => {
    expect(bootloaderPatch({ devices: {} }, undefined)).toEqual([]);
    expect(bootloaderPatch({ devices: {}, firmware: { uuid: 'u' } }, undefined)).toEqual([]);
  });
});

describe('firmwarePatch', () => {
  it('is empty where the firmware is of that kind', () => {
    expect(firmwarePatch({ devices: {} }, 'Legacy')).toEqual([]);
  });
});
