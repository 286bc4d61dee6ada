import type { Machine } from '../../../machine/index.ts';

/** When the machine last began to boot, ms since 1970: it was powered on, or seen to restart since. Undefined: that is not known. */
export function lastResetAt(machine: Machine): number | undefined {
  const since = machine.poweredOnSince();
  if (since === undefined) return undefined;
  const rebooted = machine.log.entries().findLast(({ event }) => event.kind === 'Rebooted');
  return Math.max(since, rebooted?.at ?? since);
}
