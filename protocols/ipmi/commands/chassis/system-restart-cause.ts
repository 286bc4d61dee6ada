import type { LogEntry, MachineEvent } from '../../../machine/index.ts';
import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import { LAN_CHANNEL } from '../channel/channel.ts';
import type { SessionCommand } from '../command.ts';
import { isWatchdogs } from '../watchdog/watchdog.ts';

const CAUSES: Readonly<Record<BootCause, number>> = { Unknown: 0, Command: 1, Watchdog: 4 };

/** Get System Restart Cause, IPMI 2.0 §28.11: the cause from the event log, and the channel of the command. */
export const getSystemRestartCause: SessionCommand = {
  name: 'Get System Restart Cause',
  netFn: NET_FN.chassis,
  command: 0x07,
  privilege: PRIVILEGE.user,
  requestLength: [0, 0],
  repeatable: true,
  handle: (_request, { bmc }) => {
    const cause = lastBoot(bmc.machine.log.entries());
    return Buffer.of(CAUSES[cause], cause === 'Command' ? LAN_CHANNEL : 0);
  },
};

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
