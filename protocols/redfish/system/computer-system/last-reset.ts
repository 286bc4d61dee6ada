import type { Machine, MachineEvent } from '../../../machine/index.ts';

/**
 * Time of the last power-on or logged reset, ms since 1970; undefined: not known. A graceful restart does not count: its time is
 * not known.
 */
export function lastResetAt(machine: Machine): number | undefined {
  const since = machine.poweredOnSince();
  if (since === undefined) return undefined;
  const reset = machine.log.entries().findLast(({ event }) => isReset(event));
  return Math.max(since, reset?.at ?? since);
}

function isReset(event: MachineEvent): boolean {
  return event.kind === 'PowerAction' && event.action === 'ForceRestart' && event.outcome === 'Accepted';
}
