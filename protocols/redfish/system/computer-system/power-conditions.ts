import type { Hardware, PowerState } from '../../../machine/index.ts';

/** `Status.State` of a machine in each power state. */
export const STATES = {
  Off: 'StandbyOffline',
  PoweringOn: 'Starting',
  On: 'Enabled',
  PoweringOff: 'Enabled',
  Paused: 'Quiesced',
} as const satisfies Record<PowerState, string>;

/** How far its boot is: without power it does not boot, and a guest agent that answers runs in a system that is up. The rest nobody tells. */
export function lastBootState(state: PowerState, { operatingSystem }: Hardware): string | null {
  if (state === 'Off') return 'None';
  return operatingSystem !== undefined && (state === 'On' || state === 'Paused') ? 'OSRunning' : null;
}
