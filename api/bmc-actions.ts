/**
 * Reasons of the Events on a VirtualMachineBMC that tell what a client asked of it. One that was refused has `Refused`
 * behind its reason.
 */
export const BMC_ACTIONS = [
  'PowerOn',
  'PowerOff',
  'Shutdown',
  'GracefulRestart',
  'Reset',
  'PowerCycle',
  'Pause',
  'Resume',
  'DiagnosticInterrupt',
  'BootOverrideSet',
  'BootOverrideCleared',
  'BootOrderSet',
  'MediaInserted',
  'MediaEjected',
] as const;

export type BMCAction = (typeof BMC_ACTIONS)[number];

/** Whether an Event's reason tells of a client's action, accepted or refused. */
export function isBMCAction(reason: string): boolean {
  return (BMC_ACTIONS as readonly string[]).includes(reason.replace(/Refused$/, ''));
}
