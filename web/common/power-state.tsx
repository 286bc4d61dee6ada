import type { JSX } from 'preact';
import { Badge, type Tone } from './badge.tsx';
import type { IconName } from './icons.tsx';

interface Words {
  readonly text: string;
  readonly tone: Tone;
  readonly icon?: IconName;
}

const STATES: Readonly<Record<string, Words>> = {
  On: { text: 'On', tone: 'good', icon: 'power' },
  Off: { text: 'Off', tone: 'quiet' },
  PoweringOn: { text: 'Powering on', tone: 'busy' },
  PoweringOff: { text: 'Powering off', tone: 'busy' },
  // In the overview of a fleet.
  missing: { text: 'VM missing', tone: 'bad' },
  Paused: { text: 'Paused', tone: 'warn', icon: 'pause' },
};

/** A power state, named as in Redfish, in words. */
export function powerWords(state: string | null | undefined): Words {
  return STATES[state ?? ''] ?? { text: 'Unknown', tone: 'quiet' };
}

export function PowerBadge({ state }: { state: string | null | undefined }): JSX.Element {
  const { text, tone, icon } = powerWords(state);
  return (
    <Badge tone={tone} {...(icon && { icon })}>
      <span class="hidden">Power: </span>
      {text}
    </Badge>
  );
}
