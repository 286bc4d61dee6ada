import { hasAgent } from '@groundcrew/kubevirt-simulator/guest';
import { withCondition, withoutCondition } from '@groundcrew/kubevirt-simulator/kubevirt/conditions';
import { PAUSED } from '@groundcrew/kubevirt-simulator/instances';
import { liveMigratable } from '@groundcrew/kubevirt-simulator/instances/live-migratable';
import type {
  InstancePhase,
  InstanceStatus,
  VirtualMachineInstance,
  VolumeStatus,
} from '@groundcrew/kubevirt-simulator/kubevirt/objects';

export function conditionsIn(phase: InstancePhase, vmi: VirtualMachineInstance, paused: boolean, now: number) {
  const old = vmi.status?.conditions ?? [];
  if (phase !== 'Running') return old;
  let conditions = paused ? withCondition(old, PAUSED, now) : withoutCondition(old, PAUSED.type);
  conditions = withCondition(conditions, liveMigratable(vmi.spec), now);
  return hasAgent(vmi) ? withCondition(conditions, { type: 'AgentConnected', status: 'True' }, now) : conditions;
}

/** Attaches what virt-controller has brought to the node, and detaches what has left the spec. */
export function volumesIn(phase: InstancePhase, { spec, status }: VirtualMachineInstance): VolumeStatus[] {
  const volumes = status?.volumeStatus ?? [];
  if (phase !== 'Running') return volumes;
  const names = new Set((spec.volumes ?? []).map(({ name }) => name));
  return volumes.map((volume) => {
    const { name, hotplugVolume, phase: stage } = volume;
    if (hotplugVolume === undefined) return volume;
    if (stage === 'AttachedToNode' && names.has(name)) {
      const message = `Volume ${name} has been mounted in virt-launcher pod`;
      return { ...volume, phase: 'MountedToPod', reason: 'VolumeMountedToPod', message };
    }
    if (stage === 'MountedToPod' && names.has(name)) {
      const message = `Successfully attach hotplugged volume ${name} to VM`;
      return { ...volume, phase: 'Ready', reason: 'VolumeReady', message, target: 'sda' };
    }
    if ((stage === 'Ready' || stage === 'MountedToPod') && !names.has(name)) {
      const message = `Volume ${name} has been unmounted from virt-launcher pod`;
      return { ...volume, phase: 'UnMountedFromPod', reason: 'VolumeUnMountedFromPod', message };
    }
    return volume;
  });
}

/** What virt-handler tells of a guest as it starts. */
export function startedStatus({
  spec: { domain },
}: VirtualMachineInstance): Partial<InstanceStatus> & { selinuxContext: string } {
  const { cpu, memory } = domain;
  const guest = memory?.guest;
  return {
    // Without it virt-controller makes no pod for a hot-plugged volume.
    selinuxContext: 'none',
    guestOSInfo: {},
    currentCPUTopology: { cores: cpu?.cores ?? 1, sockets: cpu?.sockets ?? 1, threads: cpu?.threads ?? 1 },
    ...(guest === undefined ? {} : { memory: { guestAtBoot: guest, guestCurrent: guest, guestRequested: guest } }),
  };
}
