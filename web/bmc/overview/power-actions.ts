/** A power action as the pages offer it. */
export interface PowerAction {
  /** ResetType of Redfish. */
  readonly type: string;
  readonly label: string;
  /** What it does to the guest; asked before it is done. */
  readonly effect: string;
  readonly needsConfirmation: boolean;
  readonly isDangerous: boolean;
}

type Definition = PowerAction & { readonly isUseful: (state: string) => boolean };

const runs = (state: string): boolean => state !== 'Off';

const HARMLESS = new Set(['On', 'Resume']);
const DANGEROUS = new Set(['ForceRestart', 'PowerCycle', 'ForceOff']);

const ACTIONS: readonly Definition[] = [
  define('On', 'Power on', 'The machine starts.', (state) => state === 'Off' || state === 'PoweringOff'),
  define('Resume', 'Resume', 'The machine continues where it was paused.', (state) => state === 'Paused'),
  define('GracefulShutdown', 'Shut down', 'The guest is asked to shut down, and is powered off if it does not.', runs),
  define('GracefulRestart', 'Restart', 'The guest is asked to restart.', runs),
  define('Pause', 'Pause', 'The processors stop, and the memory stays as it is.', (state) => state === 'On'),
  define('ForceRestart', 'Reset', 'The machine restarts at once. Data that is not written is lost.', runs),
  define('PowerCycle', 'Power cycle', 'The machine is powered off and on. Data that is not written is lost.', runs),
  define('ForceOff', 'Power off now', 'The machine loses its power at once. Data that is not written is lost.', runs),
];

/**
 * The actions that have an effect in a power state.
 *
 * @param allowed ResetTypes of the machine; undefined: it does not say
 */
export function powerActions(state: string, allowed: readonly string[] | undefined): readonly PowerAction[] {
  return ACTIONS.filter(({ type, isUseful }) => isUseful(state) && (allowed?.includes(type) ?? true));
}

function define(type: string, label: string, effect: string, isUseful: Definition['isUseful']): Definition {
  return { type, label, effect, isUseful, needsConfirmation: !HARMLESS.has(type), isDangerous: DANGEROUS.has(type) };
}
