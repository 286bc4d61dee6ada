import { DEFAULT_BOOT_FLAG_TIMEOUT } from '../../../../protocols/ipmi/index.ts';
import type { BootOverride, MachineEvent } from '../../../../protocols/machine/index.ts';
import type { EventParts } from '../../hypervisor.ts';
import { describeOverride } from './requested-override.ts';
import type { OverrideVerdict } from './saved-override.ts';

/** How what was done about a boot override is told. */
interface Told {
  event: EventParts;
  /** Undefined: the override is still in force. */
  entry: MachineEvent | undefined;
}

const LAPSE_SECONDS = DEFAULT_BOOT_FLAG_TIMEOUT / 1000;

const SETTLED: Partial<Record<OverrideVerdict, Told>> = {
  restore: {
    event: ['Normal', 'BootOrderRestored', 'The machine has booted as asked; its own boot order is back'],
    entry: { kind: 'BootOverrideEnded', why: 'Booted' },
  },
  drop: {
    event: ['Warning', 'BootOverrideDropped', 'The virtual machine is gone, or lacks by now what it was to boot from'],
    entry: { kind: 'BootOverrideEnded', why: 'Dropped' },
  },
  adopt: {
    event: ['Normal', 'BootOverrideKept', 'The boot override holds for the virtual machine that was made anew'],
    entry: undefined,
  },
};

/** Of a machine that goes on after it was started paused for its firmware. */
export const SETUP_OFFERED: EventParts = [
  'Normal',
  'FirmwareSetupOffered',
  "The machine's console takes the key for the firmware's menu (Esc; with UEFI it leads to the setup) for 10 s from now, and at each reboot until it is powered on anew",
];

const BOOTED_TO_SETUP: EventParts = [
  'Normal',
  'BootOrderRestored',
  "The machine has been started with its firmware's boot menu; it starts as its owner wants it from the next time on",
];

/** What people are told of what was done about a boot override; undefined: nothing that concerns them. */
export function tellSettled(done: OverrideVerdict, override: BootOverride | undefined): Told | undefined {
  const told = SETTLED[done];
  if (done === 'restore' && override?.device === 'BiosSetup') return told && { ...told, event: BOOTED_TO_SETUP };
  if (done !== 'lapse') return told;
  return { event: lapsed(override), entry: { kind: 'BootOverrideEnded', why: 'Lapsed' } };
}

/** Of an override that failed for the client and may be in force all the same. */
export function tellUnknown(override: BootOverride): EventParts {
  const asked = `\`${describeOverride(override)}\``;
  const message =
    `It is not known whether ${asked} is in force: the API server did not say whether it was written. ` +
    'The machine may boot this way. Set the boot device again, or clear it (ipmitool chassis bootdev none)';
  return ['Warning', 'BootOverrideUnknown', message];
}

/** Only IPMI asks for overrides that lapse, with its own time. */
function lapsed(override: BootOverride | undefined): EventParts {
  const asked = override === undefined ? 'the boot override' : `\`${describeOverride(override)}\``;
  const message =
    `Nobody booted the machine within ${LAPSE_SECONDS} s of ${asked}; its own boot order is back ` +
    '(IPMI 2.0 §28.13; boot parameter 3 turns this off)';
  return ['Normal', 'BootOverrideLapsed', message];
}
