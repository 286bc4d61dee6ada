import type { Machine, MachineEvent } from '../../../machine/index.ts';

/**
 * When the machine last began to boot, ms since 1970: it was powered on, or as its log says reset since. Undefined: that is not known.
 * Of a guest that was asked to restart by itself nobody knows when it did.
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
