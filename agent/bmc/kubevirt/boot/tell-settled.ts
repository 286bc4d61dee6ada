import { DEFAULT_BOOT_FLAG_TIMEOUT } from '../../../../protocols/ipmi/index.ts';
import type { BootOverride, MachineEvent } from '../../../../protocols/machine/index.ts';
import type { EventParts } from '../../hypervisor.ts';
import { describeOverride } from './requested-override.ts';
import type { OverrideVerdict } from './saved-override.ts';

/** The report of what was done with a boot override. */
interface Told {
  event: EventParts;
  /** Undefined: the override is still in force. */
  entry: MachineEvent | undefined;
}

const LAPSE_SECONDS = DEFAULT_BOOT_FLAG_TIMEOUT / 1000;

const SETTLED: Partial<Record<OverrideVerdict, Told>> = {
  restore: {
    event: ['Normal', 'BootOrderRestored', 'The machine has booted as requested; its own boot order is restored'],
    entry: { kind: 'BootOverrideEnded', why: 'Booted' },
  },
  drop: {
    event: [
      'Warning',
      'BootOverrideDropped',
      'The virtual machine no longer exists, or no longer has the device to boot from',
    ],
    entry: { kind: 'BootOverrideEnded', why: 'Dropped' },
  },
  adopt: {
    event: ['Normal', 'BootOverrideKept', 'The boot override applies to the recreated virtual machine'],
    entry: undefined,
  },
};

/** The Event after a machine that was started paused for its firmware setup was resumed. */
export const SETUP_OFFERED: EventParts = [
  'Normal',
  'FirmwareSetupOffered',
  "The console accepts the key for the firmware's menu (Esc; with UEFI it opens the setup) for 10 s from now, and at each reboot until the next power-on",
];

const BOOTED_TO_SETUP: EventParts = [
  'Normal',
  'BootOrderRestored',
  "The machine has been started with its firmware's boot menu; the next start is a normal one",
];

/** The report for users; undefined if there is nothing to report. */
export function tellSettled(done: OverrideVerdict, override: BootOverride | undefined): Told | undefined {
  const told = SETTLED[done];
  if (done === 'restore' && override?.device === 'BiosSetup') return told && { ...told, event: BOOTED_TO_SETUP };
  if (done !== 'lapse') return told;
  return { event: lapsed(override), entry: { kind: 'BootOverrideEnded', why: 'Lapsed' } };
}

/** Only overrides of IPMI lapse, after a fixed time. */
function lapsed(override: BootOverride | undefined): EventParts {
  const asked = override === undefined ? 'the boot override' : `\`${describeOverride(override)}\``;
  const message =
    `The machine was not booted within ${LAPSE_SECONDS} s of ${asked}; its own boot order is restored ` +
    '(IPMI 2.0 §28.13; boot parameter 3 turns this off)';
  return ['Normal', 'BootOverrideLapsed', message];
}
