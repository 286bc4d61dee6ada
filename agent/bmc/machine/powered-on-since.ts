import { hasEnded } from '../../../api/index.ts';
import type { MachinePair } from './machine-objects.ts';

/** When the guest of the VMI that there is was started, ms since 1970; undefined: none has been, or KubeVirt does not say. */
export function poweredOnSince({ vmi }: MachinePair): number | undefined {
  if (vmi === undefined || hasEnded(vmi)) return undefined;
  const running = vmi.status?.phaseTransitionTimestamps?.find(({ phase }) => phase === 'Running');
  const since = running === undefined ? NaN : Date.parse(running.phaseTransitionTimestamp);
  return Number.isNaN(since) ? undefined : since;
}
