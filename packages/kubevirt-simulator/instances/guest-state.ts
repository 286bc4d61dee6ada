import { timestamp } from '@groundcrew/controller-runtime';
import { agentStatus, hasAgent, type GuestTimes } from '../guest/index.ts';
import { withCondition } from '../kubevirt/conditions.ts';
import {
  DEFAULT_GRACE_PERIOD,
  type InstancePhase,
  type InstanceSpec,
  type InstanceStatus,
  type InterfaceStatus,
  type KubeVirtCondition,
  type VirtualMachineInstance,
} from '../kubevirt/objects.ts';

/*
 * What virt-handler writes of a guest; shared with the simulated nodes of a real KubeVirt (`test/harness/kubevirt`).
 */

/** What `pause` sets, and a start with `paused: true`. */
export const PAUSED = {
  type: 'Paused',
  status: 'True',
  reason: 'PausedByUser',
  message: 'VMI was paused by user',
} as const;

/** Events of an instance that enters a phase. */
export const EVENTS: Partial<Record<InstancePhase, { type: 'Normal' | 'Warning'; reason: string; message: string }>> = {
  Running: { type: 'Normal', reason: 'Started', message: 'VirtualMachineInstance started.' },
  Succeeded: { type: 'Normal', reason: 'Stopped', message: 'The VirtualMachineInstance was shut down.' },
  Failed: { type: 'Warning', reason: 'Stopped', message: 'The VirtualMachineInstance crashed.' },
};

/** The reasons why a guest must stop. */
export interface StopRequests {
  /** When the instance was deleted, milliseconds. */
  deletedAt: number | undefined;
  /** When its pod was deleted, and the pod's grace period, seconds. */
  pod: { deletedAt: number; grace: number | undefined } | undefined;
  /** Paused or crashed: it does not react to the power button. */
  deaf: boolean;
}

/** The end of a guest that must stop: after its shutdown time, at the latest after its grace period. */
export function endOfGuest(
  { terminationGracePeriodSeconds: own = DEFAULT_GRACE_PERIOD }: InstanceSpec,
  { deletedAt, pod, deaf }: StopRequests,
  { shutdownTime }: GuestTimes,
): number | undefined {
  const ends = [
    ...(deletedAt === undefined ? [] : [{ at: deletedAt, grace: own }]),
    ...(pod === undefined ? [] : [{ at: pod.deletedAt, grace: Math.min(own, pod.grace ?? own) }]),
  ].map(({ at, grace }) => at + (deaf ? grace * 1000 : Math.min(grace * 1000, shutdownTime)));
  return ends.length === 0 ? undefined : Math.min(...ends);
}

/** The status of an instance in a phase, with the data that virt-handler writes about a running guest. */
export function guestStatus(
  vmi: VirtualMachineInstance,
  phase: InstancePhase,
  { interfaces, leased, now }: GuestView,
): InstanceStatus {
  const old = vmi.status ?? {};
  const starts = phase === 'Running' && old.phase !== 'Running';
  const entered = old.phaseTransitionTimestamps ?? [];
  const entry = { phase, phaseTransitionTimestamp: timestamp(now) };
  return {
    ...old,
    phase,
    phaseTransitionTimestamps:
      phase === old.phase ? entered : [...entered.filter((other) => other.phase !== phase), entry],
    ...(starts ? { ...startedStatus(vmi.spec), interfaces: [...interfaces] } : {}),
    ...(phase === 'Running' && hasAgent(vmi) ? agentStatus(starts ? interfaces : old.interfaces, leased) : {}),
  };
}

export interface GuestView {
  /** The interfaces of a guest that starts. */
  interfaces: readonly InterfaceStatus[];
  /** Addresses from DHCP servers, by interface; undefined for a lost address. */
  leased?: ReadonlyMap<string, string | undefined>;
  now: number;
}

function startedStatus({ domain: { cpu, memory } }: InstanceSpec): InstanceStatus {
  const guest = memory?.guest;
  return {
    guestOSInfo: {},
    currentCPUTopology: { cores: cpu?.cores ?? 1, sockets: cpu?.sockets ?? 1, threads: cpu?.threads ?? 1 },
    ...(guest === undefined ? {} : { memory: { guestAtBoot: guest, guestCurrent: guest, guestRequested: guest } }),
  };
}

/** The conditions of an instance whose guest runs. */
export function runningConditions(
  conditions: readonly KubeVirtCondition[],
  vmi: VirtualMachineInstance,
  now: number,
): KubeVirtCondition[] {
  const next = withCondition(conditions, liveMigratable(vmi.spec), now);
  return hasAgent(vmi) ? withCondition(next, { type: 'AgentConnected', status: 'True' }, now) : next;
}

/** The condition LiveMigratable: False for a bridge to the pod network (`live-migration.go`). */
function liveMigratable(spec: InstanceSpec): Pick<KubeVirtCondition, 'type' | 'status' | 'reason' | 'message'> {
  const podNetworks = new Set((spec.networks ?? []).filter(({ pod }) => pod !== undefined).map(({ name }) => name));
  const bound = (spec.domain.devices?.interfaces ?? []).some(
    ({ name, bridge }) => bridge !== undefined && podNetworks.has(name),
  );
  if (!bound) return { type: 'LiveMigratable', status: 'True' };
  const message =
    'cannot migrate VMI which does not use masquerade, bridge with ' +
    'kubevirt.io/allow-pod-bridge-network-live-migration VM annotation or a migratable plugin to connect to the pod network';
  return { type: 'LiveMigratable', status: 'False', reason: 'InterfaceNotLiveMigratable', message };
}
