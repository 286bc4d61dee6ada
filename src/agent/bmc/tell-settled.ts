import { DEFAULT_BOOT_FLAG_TIMEOUT } from '../../protocols/ipmi/index.ts';
import type { BootOverride, MachineEvent } from '../../protocols/machine/index.ts';
import { describeOverride, type OverrideVerdict } from './boot-override/index.ts';

/** Of a Kubernetes Event. */
export type EventParts = ['Normal' | 'Warning', reason: string, message: string];

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

/** What people are told of what was done about a boot override; undefined: nothing that concerns them. */
export function tellSettled(done: OverrideVerdict, override: BootOverride | undefined): Told | undefined {
  if (done !== 'lapse') return SETTLED[done];
  return { event: lapsed(override), entry: { kind: 'BootOverrideEnded', why: 'Lapsed' } };
}

/** Only IPMI asks for overrides that lapse, with its own time. */
function lapsed(override: BootOverride | undefined): EventParts {
  const asked = override === undefined ? 'the boot override' : `\`${describeOverride(override)}\``;
  const message =
    `Nobody booted the machine within ${LAPSE_SECONDS} s of ${asked}; its own boot order is back ` +
    '(IPMI 2.0 §28.13; boot parameter 3 turns this off)';
  return ['Normal', 'BootOverrideLapsed', message];
}
