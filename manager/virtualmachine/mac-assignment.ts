import type { JsonPatchOp } from '../../api/index.ts';
import { macOf, type Inputs, type ManagedInterface } from './interfaces.ts';
import { createHash } from 'node:crypto';

/** MAC addresses to write into a VM's template. */
export interface Assignment {
  /** By interface. */
  macs: Record<string, string>;
  /** Rejected if the VM has changed since it was read. */
  patch: JsonPatchOp[];
}

/**
 * MAC addresses for the interfaces of a stopped VM that have none. The template of a running VM is not changed, since
 * that would require a restart. Undefined if there is nothing to assign.
 */
export function assignmentOf(interfaces: readonly ManagedInterface[], inputs: Inputs): Assignment | undefined {
  const { vm, instance, clusterUid } = inputs;
  const { name: vmName, namespace = '', uid, resourceVersion } = vm.metadata;
  if (clusterUid === undefined || instance !== undefined || vm.status?.created === true) return undefined;
  const bare = interfaces.flatMap(({ name, index }) => {
    // An invalid MAC address is left to KubeVirt's validation.
    const isWritten = index === undefined || interfaceAt(inputs, index)?.macAddress !== undefined;
    return isWritten || macOf(name, vm, instance) !== undefined ? [] : [{ name, index }];
  });
  if (bare.length === 0) return undefined;
  const macs = Object.fromEntries(
    bare.map(({ name }) => [name, macFor({ clusterUid, namespace, vmName, interfaceName: name })]),
  );
  const guards = [
    { op: 'test' as const, path: '/metadata/uid', value: uid },
    // virt-controller updates the VM when it starts it, so the patch fails for a VM that is no longer stopped.
    { op: 'test' as const, path: '/metadata/resourceVersion', value: resourceVersion },
  ];
  const additions = bare.flatMap(({ name, index }): JsonPatchOp[] => {
    const path = `/spec/template/spec/domain/devices/interfaces/${index}`;
    return [
      { op: 'test', path: `${path}/name`, value: name },
      { op: 'add', path: `${path}/macAddress`, value: macs[name] },
    ];
  });
  return { macs, patch: [...guards, ...additions] };
}

function interfaceAt({ vm }: Inputs, index: number) {
  return vm.spec.template.spec.domain.devices.interfaces?.[index];
}

/** The interface for which a MAC address is derived. */
export interface MacOwner {
  /** Uid of the namespace kube-system: two clusters on one network use different addresses. */
  clusterUid: string;
  namespace: string;
  vmName: string;
  interfaceName: string;
}

/**
 * The MAC address of an interface that has none. It is always the same for an interface, so it survives the loss of the
 * object that holds it. Locally administered and unicast (IEEE 802-2014 §8.4); the rest is a hash.
 */
export function macFor({ clusterUid, namespace, vmName, interfaceName }: MacOwner): string {
  const octets = createHash('sha256')
    .update([clusterUid, namespace, vmName, interfaceName].join('/'))
    .digest()
    .subarray(0, 6);
  octets[0] = ((octets[0] ?? 0) & 0xfc) | 0x02;
  return [...octets].map((octet) => octet.toString(16).padStart(2, '0')).join(':');
}
