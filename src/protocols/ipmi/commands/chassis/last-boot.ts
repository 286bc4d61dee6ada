import type { LogEntry, MachineEvent } from '../../../machine/index.ts';
import { isWatchdogs } from '../watchdog/watchdog-requester.ts';

/**
 * Why a machine has booted last, as far as its log says.
 *
 * - `Command`: a client asked for it over IPMI.
 * - `Watchdog`: the watchdog's time was over.
 * - `Guest`: the guest rebooted by itself.
 */
export type BootCause = 'Command' | 'Watchdog' | 'Guest' | 'Unknown';

const BOOTS: ReadonlySet<string> = new Set(['On', 'PowerCycle', 'ForceRestart']);

/** Of the last boot, whether that powered the machine on or only started it anew. */
export function lastBoot(log: readonly LogEntry[]): BootCause {
  return causeOf(log, (event) => event.kind === 'Rebooted' || isPowerOn(event), true);
}

/** Of the last time that the machine got power. */
export function lastPowerOn(log: readonly LogEntry[]): BootCause {
  return causeOf(log, isPowerOn, false);
}

/**
 * Looks back for the boot that was seen last and for who asked for it, which is between it and the one before. A reset alone, with
 * no boot after it yet, counts where `countsResets`.
 */
function causeOf(log: readonly LogEntry[], isBoot: (event: MachineEvent) => boolean, countsResets: boolean): BootCause {
  let boot: MachineEvent | undefined;
  for (let index = log.length - 1; index >= 0; index -= 1) {
    const event = log[index]?.event;
    if (event === undefined) continue;
    if (isBoot(event)) {
      if (boot !== undefined) break;
      boot = event;
    } else if (event.kind === 'PowerAction' && event.outcome === 'Accepted' && BOOTS.has(event.action)) {
      if (event.action === 'ForceRestart' && boot === undefined && !countsResets) continue;
      if (isWatchdogs(event.requester)) return 'Watchdog';
      return event.requester.protocol === 'IPMI' ? 'Command' : 'Unknown';
    }
  }
  return boot?.kind === 'Rebooted' ? 'Guest' : 'Unknown';
}

function isPowerOn(event: MachineEvent): boolean {
  return event.kind === 'PowerState' && event.state === 'On';
}
