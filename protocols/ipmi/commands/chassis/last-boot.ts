import type { LogEntry, MachineEvent } from '../../../machine/index.ts';
import { isWatchdogs } from '../watchdog/watchdog-requester.ts';

/**
 * Why a machine has booted last, as far as its log says.
 *
 * - `Command`: a client asked for it over IPMI.
 * - `Watchdog`: the watchdog's time was over.
 */
export type BootCause = 'Command' | 'Watchdog' | 'Unknown';

const BOOTS: ReadonlySet<string> = new Set(['On', 'PowerCycle', 'ForceRestart']);

/** Of the last boot, whether that powered the machine on or only started it anew. What a guest does by itself is not seen. */
export function lastBoot(log: readonly LogEntry[]): BootCause {
  return causeOf(log, true);
}

/** Of the last time that the machine got power. */
export function lastPowerOn(log: readonly LogEntry[]): BootCause {
  return causeOf(log, false);
}

/**
 * Looks back for when the machine was seen to get power last and for who asked for it, which is between that and the time before. A
 * reset alone, which leaves it with power, counts where `countsResets`.
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
      // One that was on is not powered on.
      if (event.action === 'On' && !gotPower && hadPower(log.slice(0, index))) continue;
      if (isWatchdogs(event.requester)) return 'Watchdog';
      return event.requester.protocol === 'IPMI' ? 'Command' : 'Unknown';
    }
  }
  return 'Unknown';
}

/** Whether it had power when it was seen last. */
function hadPower(log: readonly LogEntry[]): boolean {
  const seen = log.findLast(({ event }) => event.kind === 'PowerState')?.event;
  return seen !== undefined && isPowerOn(seen);
}

function isPowerOn(event: MachineEvent): boolean {
  return event.kind === 'PowerState' && event.state === 'On';
}
