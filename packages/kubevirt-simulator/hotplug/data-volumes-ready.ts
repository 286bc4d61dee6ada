import type { KubeVirtCondition } from '../kubevirt/objects.ts';
import type { DataVolume } from './storage.ts';

/** The condition of an instance that uses DataVolumes (`aggregateDataVolumesConditions`); undefined where it uses none. */
export function dataVolumesReady(
  dataVolumes: readonly DataVolume[],
): Pick<KubeVirtCondition, 'type' | 'status' | 'reason' | 'message'> | undefined {
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
