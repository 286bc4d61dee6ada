import { withCondition, withoutCondition } from '../kubevirt/conditions.ts';
import type { KubeVirtCondition, VirtualMachineInstance } from '../kubevirt/objects.ts';
import type { Readiness } from './volume-readiness.ts';

type NewCondition = Pick<KubeVirtCondition, 'type' | 'status' | 'reason' | 'message'>;

/** What an instance says while it waits for its volumes, and no longer says when it does not. */
export function withWaiting(
  conditions: readonly KubeVirtCondition[],
  vmi: VirtualMachineInstance,
  lacking: readonly Readiness[],
  now: number,
): KubeVirtCondition[] {
  const placed = lacking.some(({ state }) => state === 'unplaced')
    ? withCondition(conditions, { type: 'Provisioning', status: 'True' }, now)
    : withoutCondition(conditions, 'Provisioning');
  const message = missingClaim(vmi, lacking);
  if (message === undefined) return withoutCondition(placed, 'Synchronized');
  return withCondition(placed, { type: 'Synchronized', status: 'False', reason: 'FailedPvcNotFound', message }, now);
}

/** Why an instance has no pod that could be scheduled; undefined where no claim is missing. */
export function unscheduledFor(vmi: VirtualMachineInstance, lacking: readonly Readiness[]): NewCondition | undefined {
  const message = missingClaim(vmi, lacking);
  return message === undefined
    ? undefined
    : { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
}

function missingClaim({ metadata }: VirtualMachineInstance, lacking: readonly Readiness[]): string | undefined {
  const missing = lacking.find((readiness) => readiness.state === 'missing');
  if (missing === undefined) return undefined;
  return `PVC ${metadata.namespace ?? ''}/${missing.name} does not exist, waiting for it to appear`;
}
