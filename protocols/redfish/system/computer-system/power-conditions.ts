import type { Hardware, PowerState } from '../../../machine/index.ts';

/** `Status.State` of a machine in each power state. */
export const STATES = {
  Off: 'StandbyOffline',
  PoweringOn: 'Starting',
  On: 'Enabled',
  PoweringOff: 'Enabled',
  Paused: 'Quiesced',
} as const satisfies Record<PowerState, string>;

/** Boot progress: none without power, up if a guest agent answers, otherwise unknown. */
export function lastBootState(state: PowerState, { operatingSystem }: Hardware): string | null {
  if (state === 'Off') return 'None';
  return operatingSystem !== undefined && (state === 'On' || state === 'Paused') ? 'OSRunning' : null;
}
