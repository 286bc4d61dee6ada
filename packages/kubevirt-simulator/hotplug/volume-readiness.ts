import type { Draft, ObjectRef } from '@groundcrew/controller-runtime';
import type { Claim, DataVolume, DataVolumeSpec } from '../cdi/index.ts';
import { withCondition, withoutCondition } from '../kubevirt/conditions.ts';
import type { KubeVirtCondition, VirtualMachine, VirtualMachineInstance, Volume } from '../kubevirt/objects.ts';
import { claimNameOf, isHotpluggable, type Volumes } from './storage.ts';

/** Whether a volume can be attached to a node. */
export type Readiness =
  /** Its claim is bound and imported. */
  | { state: 'ready' }
  /** It is being filled or bound. */
  | { state: 'waiting' }
  | { state: 'missing'; name: string }
  | { state: 'failed'; name: string };

/** KubeVirt's `VolumeReadyToAttachToNode`, and the scheduler's look at whether the claim is bound. */
export function readinessOf(volume: Volume, namespace: string | undefined, volumes: Volumes): Readiness {
  const name = claimNameOf(volume);
  if (name === undefined) return { state: 'ready' };
  const ref = refTo(name, namespace);
  const claim = volumes.claim(ref);
  if (claim === undefined) return { state: 'missing', name };
  const dataVolume = isFilledByCdi(claim) ? volumes.dataVolume(ref) : undefined;
  if (dataVolume?.status?.phase === 'Failed') return { state: 'failed', name };
  const isFilled = !isFilledByCdi(claim) || dataVolume?.status?.phase === 'Succeeded';
  return { state: isFilled && claim.status?.phase === 'Bound' ? 'ready' : 'waiting' };
}

/** The volumes that delay the start of an instance; hot-plugged ones do not. */
export function startReadiness({ metadata, spec }: VirtualMachineInstance, volumes: Volumes): Readiness[] {
  return (spec.volumes ?? [])
    .filter((volume) => !isHotpluggable(volume))
    .map((volume) => readinessOf(volume, metadata.namespace, volumes))
    .filter(({ state }) => state !== 'ready');
}

/** The DataVolumes behind an instance's volumes. */
export function dataVolumesOf({ metadata, spec }: VirtualMachineInstance, volumes: Volumes): DataVolume[] {
  return found(spec.volumes, (name) => volumes.dataVolume(refTo(name, metadata.namespace)));
}

export interface StorageStatus {
  error?: 'DataVolumeError';
  progress?: 'Provisioning' | 'WaitingForVolumeBinding';
  /** The DataVolumes of its templates are not imported yet; the VM waits for them. */
  isFilling?: boolean;
}

/** The part of a VM's status that its DataVolumes and claims determine. */
export function storageStatusOf(vm: VirtualMachine, isSetToStart: boolean, volumes: Volumes): StorageStatus {
  const { metadata, spec } = vm;
  const used = spec.template?.spec.volumes;
  const named = found(
    used?.filter((volume) => volume['dataVolume'] !== undefined),
    (name) => volumes.dataVolume(refTo(name, metadata.namespace)),
  );
  const claims = found(used, (name) => volumes.claim(refTo(name, metadata.namespace)));
  const unbound = claims.some(({ status }) => status?.phase !== 'Bound');
  return {
    ...(areTemplatesFilled(vm, volumes) ? {} : { isFilling: true }),
    ...(named.some(isBroken) ? { error: 'DataVolumeError' } : {}),
    ...(named.some(({ status }) => status?.phase !== 'Succeeded')
      ? { progress: 'Provisioning' }
      : isSetToStart && unbound
        ? { progress: 'WaitingForVolumeBinding' }
        : {}),
  };
}

/** `HasDataVolumeErrors`. */
function isBroken({ status }: DataVolume): boolean {
  const running = status?.conditions?.find(({ type }) => type === 'Running');
  const hasStopped =
    running?.status === 'False' && (running.reason === 'Error' || running.reason === 'ImagePullFailed');
  return status?.phase === 'Failed' || hasStopped;
}

function isFilledByCdi({ metadata }: Claim): boolean {
  return (
    metadata.ownerReferences?.some(({ kind, controller }) => kind === 'DataVolume' && controller === true) === true
  );
}

function found<T>(volumes: readonly Volume[] | undefined, find: (name: string) => T | undefined): T[] {
  return (volumes ?? []).flatMap((volume) => {
    const name = claimNameOf(volume);
    const object = name === undefined ? undefined : find(name);
    return object === undefined ? [] : [object];
  });
}

function refTo(name: string, namespace: string | undefined): ObjectRef {
  return namespace === undefined ? { name } : { namespace, name };
}

type NewCondition = Pick<KubeVirtCondition, 'type' | 'status' | 'reason' | 'message'>;

/** The conditions of an instance with, or without, the one about missing claims. */
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

/** The condition of an instance whose pod cannot be scheduled because a claim is missing. */
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

/** The condition of an instance with DataVolumes (`aggregateDataVolumesConditions`); undefined without any. */
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

/** The DataVolumes of a VM's templates that do not exist yet. */
export function missingDataVolumes(vm: VirtualMachine, volumes: Volumes): Draft<DataVolume>[] {
  const { name, namespace, uid = '' } = vm.metadata;
  const place = namespace === undefined ? {} : { namespace };
  return (vm.spec.dataVolumeTemplates ?? [])
    .filter(({ metadata }) => volumes.dataVolume({ ...place, name: metadata.name }) === undefined)
    .map(({ metadata, spec }) => ({
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: {
        ...metadata,
        ...place,
        labels: { ...metadata.labels, 'kubevirt.io/created-by': uid },
        ownerReferences: [
          {
            apiVersion: 'kubevirt.io/v1',
            kind: 'VirtualMachine',
            name,
            uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: spec as DataVolumeSpec, // The API server validates it.
    }));
}

/** Whether the DataVolumes of a VM's templates have succeeded. */
function areTemplatesFilled(vm: VirtualMachine, volumes: Volumes): boolean {
  const { namespace } = vm.metadata;
  const place = namespace === undefined ? {} : { namespace };
  return (vm.spec.dataVolumeTemplates ?? []).every(
    ({ metadata }) => volumes.dataVolume({ ...place, name: metadata.name })?.status?.phase === 'Succeeded',
  );
}
