import type { InstanceSpec, KubeVirtCondition } from '../kubevirt/objects.ts';

/** The condition that says whether the guest can be moved: not from a bridge to the pod network (`live-migration.go`). */
export function liveMigratable(spec: InstanceSpec): Pick<KubeVirtCondition, 'type' | 'status' | 'reason' | 'message'> {
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
