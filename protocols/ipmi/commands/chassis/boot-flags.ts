import type { BootDevice, BootOverride } from '../../../machine/index.ts';
import { COMPLETION, CompletionError } from '../../message/codes.ts';

/** Bytes of boot option parameter 5, IPMI 2.0 table 28-14. */
export const BOOT_FLAGS_LENGTH = 5;

export const BOOT_FLAGS_VALID = 0x80;
const PERSISTENT = 0x40;
const EFI = 0x20;
/** Boot device selector: bits 5:2 of the second byte. */
const DEVICE_SHIFT = 2;
const DEVICE_MASK = 0x0f;
const NO_OVERRIDE = 0;
/** Device instance selector: bits 3:0 of the fifth byte; bit 4 distinguishes internal and external devices, which does not apply to a VM. */
const INSTANCE_AT = 4;
const INSTANCE_MASK = 0x0f;
const INTERNAL_INSTANCE = 0x10;

/** IPMI has no value for HTTP boot; it is encoded as a UEFI network boot. 15 is the floppy or primary removable medium. */
const DEVICE_NUMBERS: Readonly<Record<BootDevice, number>> = {
  Pxe: 1,
  UefiHttp: 1,
  Hdd: 2,
  Cd: 5,
  BiosSetup: 6,
  Usb: 15,
};

/**
 * The override in boot flags; undefined if there is none. The EFI bit selects UEFI; without it the machine keeps its firmware, since
 * clients clear the bit by default.
 *
 * @throws CompletionError 0xCC for a device that the machine does not have
 */
export function decodeBootFlags(flags: Buffer): BootOverride | undefined {
  const first = flags.readUInt8(0);
  const number = (flags.readUInt8(1) >> DEVICE_SHIFT) & DEVICE_MASK;
  if ((first & BOOT_FLAGS_VALID) === 0 || number === NO_OVERRIDE) return undefined;
  const device = deviceOf(number);
  if (device === undefined) throw new CompletionError(COMPLETION.invalidField, `boot device ${number}`);
  const instance = flags.readUInt8(INSTANCE_AT) & INSTANCE_MASK;
  return {
    device,
    persistence: (first & PERSISTENT) === 0 ? 'Once' : 'Continuous',
    ...((first & EFI) !== 0 && { firmware: 'UEFI' }),
    ...(instance !== 0 && { instance }),
  };
}

/** Boot flags of an override; all zero for none. An instance that they cannot encode is omitted. */
export function encodeBootFlags(override: BootOverride | undefined): Buffer {
  const flags = Buffer.alloc(BOOT_FLAGS_LENGTH);
  if (override === undefined) return flags;
  const { device, persistence, firmware, instance = 0 } = override;
  const persistent = persistence === 'Continuous' ? PERSISTENT : 0;
  const efi = firmware === 'UEFI' ? EFI : 0;
  flags.writeUInt8(BOOT_FLAGS_VALID | persistent | efi, 0);
  flags.writeUInt8(DEVICE_NUMBERS[device] << DEVICE_SHIFT, 1);
  if (instance > 0 && instance <= INSTANCE_MASK) flags.writeUInt8(INTERNAL_INSTANCE | instance, INSTANCE_AT);
  return flags;
}

function deviceOf(number: number): BootDevice | undefined {
  switch (number) {
    case DEVICE_NUMBERS.Pxe:
      return 'Pxe';
    case DEVICE_NUMBERS.Hdd:
      return 'Hdd';
    case DEVICE_NUMBERS.Cd:
      return 'Cd';
    case DEVICE_NUMBERS.BiosSetup:
      return 'BiosSetup';
    case DEVICE_NUMBERS.Usb:
      return 'Usb';
    default:
      return undefined;
  }
}
