import type { JSX } from 'preact';
import { Badge, type Tone } from '../../common/badge.tsx';
import type { IconName } from '../../common/icons.tsx';

interface Look {
  readonly tone: Tone;
  readonly icon?: IconName;
}

const LOOKS: Readonly<Record<string, Look>> = {
  Ready: { tone: 'good' },
  Complete: { tone: 'good' },
  Allocated: { tone: 'quiet', icon: 'clock' },
  Bound: { tone: 'good' },
  Pending: { tone: 'busy' },
  Provisioning: { tone: 'busy' },
  Canary: { tone: 'busy' },
  Updating: { tone: 'busy' },
  Resting: { tone: 'quiet', icon: 'clock' },
  Released: { tone: 'quiet', icon: 'clock' },
  Retained: { tone: 'quiet', icon: 'info' },
  Stale: { tone: 'quiet', icon: 'clock' },
  Paused: { tone: 'warn', icon: 'pause' },
  Degraded: { tone: 'warn' },
  Unseen: { tone: 'warn' },
  Declined: { tone: 'bad' },
  Quarantined: { tone: 'bad' },
  Failed: { tone: 'bad' },
  Stopped: { tone: 'bad' },
};

/** The phase or the state of an object. */
export function PhaseBadge({ phase }: { phase: string }): JSX.Element {
  const { tone, icon } = LOOKS[phase] ?? { tone: 'quiet', icon: 'info' };
  return (
    <Badge tone={tone} {...(icon && { icon })}>
      {phase}
    </Badge>
  );
}
