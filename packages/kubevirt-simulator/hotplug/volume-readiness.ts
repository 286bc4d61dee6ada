import type { ObjectRef } from '@groundcrew/controller-runtime';
import type { VirtualMachine, VirtualMachineInstance, Volume } from '../kubevirt/objects.ts';
import { areTemplatesFilled } from './data-volume-templates.ts';
import type { Claim, DataVolume } from '../cdi/index.ts';
import { claimNameOf, isHotpluggable, type Volumes } from './storage.ts';

/** Whether a volume can be attached to a node, and what is missing otherwise. */
export type Readiness =
  /** Its claim is bound and holds what it is to hold. */
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

/** The volumes without which an instance cannot start, and where they are: those that are hot-plugged come later. */
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
