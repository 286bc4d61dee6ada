import type { ObjectRef } from '@groundcrew/controller-runtime';
import type { VirtualMachine, VirtualMachineInstance, Volume } from '../kubevirt/objects.ts';
import { areTemplatesFilled } from './data-volume-templates.ts';
import type { Claim, DataVolume, Volumes } from './storage.ts';
import { claimNameOf, isHotpluggable } from './volumes.ts';

/** Whether a volume can be attached to a node, and what is missing otherwise. */
export type Readiness =
  /** Its claim is bound and holds what it is to hold. */
  | { state: 'ready' }
  /** It is being filled or bound. */
  | { state: 'waiting' }
  /** It is made when the first pod that uses it has a node. */
  | { state: 'unplaced'; claim: Claim }
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
  if (isFilledByCdi(claim) && dataVolume?.status?.phase !== 'Succeeded') {
    return dataVolume?.status?.phase === 'WaitForFirstConsumer' ? { state: 'unplaced', claim } : { state: 'waiting' };
  }
  return claim.status?.phase === 'Bound' ? { state: 'ready' } : { state: 'unplaced', claim };
}

/** The volumes without which an instance cannot start, and where they are: those that are hot-plugged come later. */
export function startReadiness({ metadata, spec }: VirtualMachineInstance, volumes: Volumes): Readiness[] {
  return (spec.volumes ?? [])
    .filter((volume) => !isHotpluggable(volume))
    .map((volume) => readinessOf(volume, metadata.namespace, volumes))
    .filter(({ state }) => state !== 'ready');
}

/** Claims that are made when something uses them, and that this instance does: at its start, or plugged in later. */
export function claimsToPlace(vmi: VirtualMachineInstance, volumes: Volumes): Claim[] {
  const { metadata, spec, status } = vmi;
  const lacking =
    status?.phase === 'Running'
      ? (spec.volumes ?? []).map((volume) => readinessOf(volume, metadata.namespace, volumes))
      : startReadiness(vmi, volumes);
  return lacking.flatMap((readiness) => (readiness.state === 'unplaced' ? [readiness.claim] : []));
}

/** The DataVolumes behind an instance's volumes. */
export function dataVolumesOf({ metadata, spec }: VirtualMachineInstance, volumes: Volumes): DataVolume[] {
  return found(spec.volumes, (name) => volumes.dataVolume(refTo(name, metadata.namespace)));
}

export interface StorageStatus {
  error?: 'DataVolumeError';
  progress?: 'Provisioning' | 'WaitingForVolumeBinding';
  /** The DataVolumes that it brings along are not full yet: nothing is done to it before they are. */
  isFilling?: boolean;
}

/** What a VM's DataVolumes and claims make of its status, where nothing that matters more is the matter. */
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
    ...(named.some(isProvisioning)
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

/** `HasDataVolumeProvisioning`: one that waits for a consumer is not yet being provisioned. */
function isProvisioning({ status }: DataVolume): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'PendingPopulation') return false;
  const bound = status?.conditions?.find(({ type }) => type === 'Bound');
  return bound?.status === 'True' || status?.phase !== 'WaitForFirstConsumer';
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
