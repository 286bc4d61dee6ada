import type { LogEntry, MachineEvent } from '../../../machine/index.ts';
import { isWatchdogs } from '../watchdog/watchdog-requester.ts';

/**
 * Cause of a machine's last boot, from its log.
 *
 * - `Command`: an IPMI client requested it.
 * - `Watchdog`: the watchdog expired.
 */
export type BootCause = 'Command' | 'Watchdog' | 'Unknown';

const BOOTS: ReadonlySet<string> = new Set(['On', 'PowerCycle', 'ForceRestart']);

/** Cause of the last boot, either a power-on or a reset. Resets by the guest itself are not observed. */
export function lastBoot(log: readonly LogEntry[]): BootCause {
  return causeOf(log, true);
}

/** Cause of the last power-on. */
export function lastPowerOn(log: readonly LogEntry[]): BootCause {
  return causeOf(log, false);
}

/**
 * Searches backwards for the last observed start and for the request between that and the start before it. Resets count only with
 * `countsResets`.
 */
function causeOf(log: readonly LogEntry[], countsResets: boolean): BootCause {
  let gotPower = false;
  for (let index = log.length - 1; index >= 0; index -= 1) {
    const event = log[index]?.event;
    if (event === undefined) continue;
    if (isPowerOn(event)) {
      if (gotPower) break;
      gotPower = true;
    } else if (event.kind === 'PowerAction' && event.outcome === 'Accepted' && BOOTS.has(event.action)) {
      if (event.action === 'ForceRestart' && !gotPower && !countsResets) continue;
      // `On` does not power on a machine that is already on.
      if (event.action === 'On' && !gotPower && hadPower(log.slice(0, index))) continue;
      if (isWatchdogs(event.requester)) return 'Watchdog';
      return event.requester.protocol === 'IPMI' ? 'Command' : 'Unknown';
    }
  }
  return 'Unknown';
}

/** Whether the machine had power at its last observation. */
function hadPower(log: readonly LogEntry[]): boolean {
  const seen = log.findLast(({ event }) => event.kind === 'PowerState')?.event;
  return seen !== undefined && isPowerOn(seen);
}

function isPowerOn(event: MachineEvent): boolean {
  return event.kind === 'PowerState' && event.state === 'On';
}
