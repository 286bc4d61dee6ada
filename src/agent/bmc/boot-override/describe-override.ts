import type { BootOverride } from '../../../protocols/machine/index.ts';

const DEVICE_WORDS: Record<BootOverride['device'], string> = {
  Pxe: 'from the network',
  Hdd: 'from disk',
  Cd: 'from CD',
  BiosSetup: 'into the firmware setup',
};

const INSTANCE_WORDS: Record<BootOverride['device'], string> = {
  Pxe: 'interface',
  Hdd: 'disk',
  Cd: 'drive',
  BiosSetup: 'number',
};

/** What an override asks of the machine, for people: `boot once from the network`. */
export function describeOverride({ device, persistence, firmware, instance }: BootOverride): string {
  const times = persistence === 'Once' ? 'once' : 'always';
  const which = instance === undefined ? '' : ` (${INSTANCE_WORDS[device]} ${instance})`;
  const mode = firmware === undefined ? '' : ` with ${firmware} firmware`;
  return `boot ${times} ${DEVICE_WORDS[device]}${which}${mode}`;
}
