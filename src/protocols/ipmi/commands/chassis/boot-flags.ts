import type { BootDevice, BootOverride } from '../../../machine/index.ts';
import { COMPLETION, CompletionError } from '../../message/completion-code.ts';

/** Bytes of boot option parameter 5, IPMI 2.0 table 28-14. */
export const BOOT_FLAGS_LENGTH = 5;

const VALID = 0x80;
const PERSISTENT = 0x40;
const EFI = 0x20;
/** Boot device selector: bits 5:2 of the second byte. */
const DEVICE_SHIFT = 2;
const DEVICE_MASK = 0x0f;
const NO_OVERRIDE = 0;

const DEVICE_NUMBERS: Readonly<Record<BootDevice, number>> = { Pxe: 1, Hdd: 2, Cd: 5, BiosSetup: 6 };

/**
 * The override that boot flags ask for; undefined where they ask for none. The EFI bit asks for UEFI; without it the
 * machine keeps its own firmware, since clients that do not care leave it clear.
 *
 * @throws CompletionError 0xCC for a device that the machine does not have
 */
export function decodeBootFlags(flags: Buffer): BootOverride | undefined {
  const first = flags.readUInt8(0);
  const number = (flags.readUInt8(1) >> DEVICE_SHIFT) & DEVICE_MASK;
  if ((first & VALID) === 0 || number === NO_OVERRIDE) return undefined;
  const device = deviceOf(number);
  if (device === undefined) throw new CompletionError(COMPLETION.invalidField, `boot device ${number}`);
  return {
    device,
    persistence: (first & PERSISTENT) === 0 ? 'Once' : 'Continuous',
    ...((first & EFI) !== 0 && { firmware: 'UEFI' }),
  };
}

/** Boot flags that say what override is in force; all zero where none is. */
export function encodeBootFlags(override: BootOverride | undefined): Buffer {
  const flags = Buffer.alloc(BOOT_FLAGS_LENGTH);
  if (override === undefined) return flags;
  const persistent = override.persistence === 'Continuous' ? PERSISTENT : 0;
  const efi = override.firmware === 'UEFI' ? EFI : 0;
  flags.writeUInt8(VALID | persistent | efi, 0);
  flags.writeUInt8(DEVICE_NUMBERS[override.device] << DEVICE_SHIFT, 1);
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
    default:
      return undefined;
  }
}
