import type { Disk, VirtualMachineInstance, VolumeStatus } from '../kubevirt/objects.ts';
import type { Claim } from '../cdi/index.ts';
import { claimNameOf, isHotpluggable, type Volumes } from './storage.ts';
import { readinessOf } from './volume-readiness.ts';

/**
 * The next volume status of an instance, as virt-controller and virt-handler write it (`updateVolumeStatus`,
 * `updateHotplugVolumeStatus`). There are no hot-plug pods.
 */
export function volumeStatusIn(vmi: VirtualMachineInstance, volumes: Volumes): VolumeStatus[] {
  const { spec, status, metadata } = vmi;
  const old = new Map((status?.volumeStatus ?? []).map((entry) => [entry.name, entry]));
  const targets = targetsOf(spec.domain.devices?.disks ?? []);
  const present = (spec.volumes ?? []).map((volume): VolumeStatus => {
    const { name } = volume;
    const claimName = claimNameOf(volume);
    const claim = claimName === undefined ? undefined : volumes.claim({ ...inNamespace(metadata), name: claimName });
    const info = claim === undefined ? {} : { persistentVolumeClaimInfo: claimInfo(claim) };
    const target = (status?.phase === 'Running' ? targets.get(name) : undefined) ?? '';
    if (!isHotpluggable(volume)) return { name, ...old.get(name), ...info, target };
    const canAttach = readinessOf(volume, metadata.namespace, volumes).state === 'ready';
    const step = plugged(old.get(name) ?? { name, target: '' }, { claimName: claimName ?? '', claim, canAttach });
    return { ...step, ...info, hotplugVolume: {}, target: step.phase === 'Ready' ? target : '' };
  });
  const names = new Set(present.map(({ name }) => name));
  const leaving = [...old.values()].filter(({ name }) => !names.has(name)).flatMap(unplugged);
  return [...present, ...leaving].sort((a, b) => (a.name < b.name ? -1 : 1));
}

interface Plug {
  claimName: string;
  claim: Claim | undefined;
  canAttach: boolean;
}

function plugged(old: VolumeStatus, { claimName, claim, canAttach }: Plug): VolumeStatus {
  const { name } = old;
  switch (old.phase) {
    case 'Ready':
      return old;
    case 'AttachedToNode':
    case 'MountedToPod':
      return mounted(old, true);
    case 'Bound':
      if (!canAttach) break;
      return {
        ...old,
        phase: 'AttachedToNode',
        reason: 'SuccessfulCreate',
        message: `Created hotplug attachment pod, for volume ${name}`,
      };
    default:
  }
  if (claim === undefined) {
    return { ...old, phase: 'Pending', reason: 'FailedPvcNotFound', message: `PVC ${claimName} not found` };
  }
  const reason = 'PVCNotReady';
  if (claim.status?.phase === 'Bound') return { ...old, phase: 'Bound', reason, message: 'PVC is in phase Bound' };
  const phase = claim.status?.phase === 'Lost' ? 'Lost' : 'ClaimPending';
  return { ...old, phase: 'Pending', reason, message: `PVC is in phase ${phase}` };
}

/** A volume that is no longer in the spec: an attached one is unmounted first. */
function unplugged(old: VolumeStatus): VolumeStatus[] {
  const isIn = old.phase === 'Ready' || old.phase === 'MountedToPod' || old.phase === 'AttachedToNode';
  return old.hotplugVolume === undefined || !isIn ? [] : [mounted({ ...old, phase: 'Ready', target: '' }, false)];
}

/** The next status of a hot-plugged volume that virt-handler mounts into the pod and the guest, or unmounts. */
export function mounted(old: VolumeStatus, isWanted: boolean): VolumeStatus {
  const { name, phase } = old;
  if (isWanted && phase === 'AttachedToNode') {
    const message = `Volume ${name} has been mounted in virt-launcher pod`;
    return { ...old, phase: 'MountedToPod', reason: 'VolumeMountedToPod', message };
  }
  if (isWanted && phase === 'MountedToPod') {
    const message = `Successfully attach hotplugged volume ${name} to VM`;
    return { ...old, phase: 'Ready', reason: 'VolumeReady', message };
  }
  if (!isWanted && (phase === 'Ready' || phase === 'MountedToPod')) {
    const message = `Volume ${name} has been unmounted from virt-launcher pod`;
    return { ...old, phase: 'UnMountedFromPod', reason: 'VolumeUnMountedFromPod', message };
  }
  return old;
}

function claimInfo({ metadata, spec, status }: Claim): NonNullable<VolumeStatus['persistentVolumeClaimInfo']> {
  return {
    claimName: metadata.name,
    ...(spec?.accessModes === undefined ? {} : { accessModes: spec.accessModes }),
    ...(spec?.volumeMode === undefined ? {} : { volumeMode: spec.volumeMode }),
    ...(status?.capacity === undefined ? {} : { capacity: status.capacity }),
    ...(spec?.resources?.requests === undefined ? {} : { requests: spec.resources.requests }),
  };
}

/** Names of disks in the domain: `vda` on virtio, `sda` on the other buses. */
function targetsOf(disks: readonly Disk[]): Map<string, string> {
  const counts = { vd: 0, sd: 0 };
  return new Map(
    disks.map((disk) => {
      const family = busOf(disk) === 'virtio' ? 'vd' : 'sd';
      const index = counts[family]++;
      return [disk.name, `${family}${String.fromCharCode(97 + (index % 26))}`];
    }),
  );
}

function busOf(disk: Disk): unknown {
  const device = disk['disk'] ?? disk['cdrom'] ?? disk['lun'];
  return typeof device === 'object' && device !== null && 'bus' in device ? device.bus : undefined;
}

function inNamespace({ namespace }: { namespace?: string }): { namespace?: string } {
  return namespace === undefined ? {} : { namespace };
}
