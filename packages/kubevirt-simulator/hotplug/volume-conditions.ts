import { withCondition, withoutCondition } from '../kubevirt/conditions.ts';
import type { KubeVirtCondition, VirtualMachineInstance } from '../kubevirt/objects.ts';
import type { DataVolume } from '../cdi/index.ts';
import type { Readiness } from './volume-readiness.ts';

type NewCondition = Pick<KubeVirtCondition, 'type' | 'status' | 'reason' | 'message'>;

/** What an instance says while it waits for its volumes, and no longer says when it does not. */
export function withWaiting(
  conditions: readonly KubeVirtCondition[],
  vmi: VirtualMachineInstance,
  lacking: readonly Readiness[],
  now: number,
): KubeVirtCondition[] {
  const message = missingClaim(vmi, lacking);
  if (message === undefined) return withoutCondition(conditions, 'Synchronized');
  return withCondition(
    conditions,
    { type: 'Synchronized', status: 'False', reason: 'FailedPvcNotFound', message },
    now,
  );
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

/** The condition of an instance that uses DataVolumes (`aggregateDataVolumesConditions`); undefined where it uses none. */
export function dataVolumesReady(dataVolumes: readonly DataVolume[]): NewCondition | undefined {
  if (dataVolumes.length === 0) return undefined;
  const states = dataVolumes.map(
    ({ status }) => status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? 'Unknown',
  );
  const type = 'DataVolumesReady';
  if (states.every((state) => state === 'True')) {
    return { type, status: 'True', reason: 'AllDVsReady', message: "All of the VMI's DVs are bound and ready" };
  }
  const status = states.includes('False') ? 'False' : 'Unknown';
  return { type, status, reason: 'NotAllDVsReady', message: "Not all of the VMI's DVs are ready" };
}
