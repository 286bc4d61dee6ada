import type { JsonPatchOp } from '../../../api/index.ts';
import { macFor } from '../mac-for.ts';
import type { Inputs } from './inputs.ts';
import { macOf } from './mac-of.ts';
import type { ManagedInterface } from './managed-interfaces.ts';

/** MAC addresses to be written into a VM's template. */
export interface Assignment {
  /** By interface. */
  macs: Record<string, string>;
  /** Refused where the VM has changed since it was read. */
  patch: JsonPatchOp[];
}

/**
 * What a VM that is off is given for the interfaces that have no MAC address: while it runs, its template is left as it
 * is, since a change of it would ask for a restart. Undefined where there is nothing to give.
 */
export function assignmentOf(interfaces: readonly ManagedInterface[], inputs: Inputs): Assignment | undefined {
  const { vm, instance, clusterUid } = inputs;
  const { name: vmName, namespace = '', uid, resourceVersion } = vm.metadata;
  if (clusterUid === undefined || instance !== undefined || vm.status?.created === true) return undefined;
  const bare = interfaces.flatMap(({ name, index }) => {
    // One that is written but makes no sense is KubeVirt's to refuse.
    const isWritten = index === undefined || interfaceAt(inputs, index)?.macAddress !== undefined;
    return isWritten || macOf(name, vm, instance) !== undefined ? [] : [{ name, index }];
  });
  if (bare.length === 0) return undefined;
  const macs = Object.fromEntries(
    bare.map(({ name }) => [name, macFor({ clusterUid, namespace, vmName, interfaceName: name })]),
  );
  const guards = [
    { op: 'test' as const, path: '/metadata/uid', value: uid },
    // virt-controller writes the VM as it starts it: a machine that is no longer off is not patched.
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
