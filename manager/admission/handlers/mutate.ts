import {
  BMC_FINALIZER,
  IP_POOLS,
  VIRTUAL_MACHINE_BMCS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type JsonPatchOp,
  type VirtualMachine,
} from '../../../api/index.ts';
import {
  multusNetworks,
  harvesterMacs,
  macFor,
  managedInterfaces,
  type ClusterIdentity,
} from '../../virtualmachine/index.ts';
import type { KubeObject } from '@groundcrew/controller-runtime';
import type { AdmissionOptions } from '../options.ts';
import { canonicalMacs } from '../rules/config-rules.ts';
import { canonicalReservations, defaultAddresses } from '../rules/pool-defaults.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../review.ts';
import { hasPool } from './inputs.ts';

interface MutationOptions extends AdmissionOptions {
  identity: ClusterIdentity;
}

/**
 * Sets defaults. Rejects nothing: the API server has not validated the object yet, and an object that cannot be read is
 * passed on unchanged.
 */
export async function mutate(request: AdmissionRequest, options: MutationOptions): Promise<AdmissionAnswer> {
  const { object, subResource } = request;
  if (object === undefined || subResource !== undefined || object.metadata.deletionTimestamp !== undefined)
    return { warnings: [] };
  try {
    return { warnings: [], patch: await patchOf(request, object, options) };
  } catch (error) {
    const { resource, namespace, name } = request;
    options.logger.warn({ err: error, resource, namespace, name }, 'an object is passed on as it was written');
    return { warnings: [] };
  }
}

async function patchOf(
  { resource, operation, namespace, name }: AdmissionRequest,
  object: KubeObject,
  options: MutationOptions,
): Promise<readonly JsonPatchOp[]> {
  switch (resource) {
    case IP_POOLS.plural:
      return [...(operation === 'CREATE' ? defaultAddresses(object) : []), ...canonicalReservations(object)];
    case VIRTUAL_MACHINE_NETWORK_CONFIGS.plural:
      return canonicalMacs(object);
    case VIRTUAL_MACHINE_BMCS.plural:
      return operation === 'CREATE' && options.mayFinalize(namespace) ? finalizerOf(object) : [];
    case VIRTUAL_MACHINES.plural:
      // A malformed VM makes the rule throw; KubeVirt rejects the VM.
      return operation === 'CREATE' ? await macsOf(object as VirtualMachine, { namespace, name }, options) : [];
    default:
      return [];
  }
}

/** The finalizer, so that the reconciler does not have to write it. The type is not checked yet. */
function finalizerOf({ metadata }: KubeObject): JsonPatchOp[] {
  const finalizers: unknown = metadata.finalizers;
  if (finalizers === undefined || finalizers === null)
    return [{ op: 'add', path: '/metadata/finalizers', value: [BMC_FINALIZER] }];
  if (!Array.isArray(finalizers) || finalizers.includes(BMC_FINALIZER)) return [];
  return [{ op: 'add', path: '/metadata/finalizers/-', value: BMC_FINALIZER }];
}

async function macsOf(
  vm: VirtualMachine,
  place: { namespace: string; name: string },
  { assignMACs, caches, identity }: MutationOptions,
): Promise<readonly JsonPatchOp[]> {
  if (!assignMACs) return [];
  // On CREATE the namespace may be given only in the path, and the name may be generated later (generateName).
  const placed = { ...vm, metadata: { ...vm.metadata, ...place } };
  const managedNetworks = new Set(multusNetworks(placed).filter((network) => hasPool(network, caches)));
  if (managedNetworks.size === 0) return [];
  const clusterUid = await identity.uid();
  return clusterUid === undefined ? [] : assignedMacs(placed, { managedNetworks, clusterUid });
}

interface VirtualMachineInputs {
  /** Networks (`namespace/name`) that have a pool. */
  managedNetworks: ReadonlySet<string>;
  clusterUid: string;
}

/**
 * MAC addresses for a new VM: one for each interface on a pool's network that has none, so that its lease exists before
 * the first boot. A MAC address that Harvester keeps for an interface is left to Harvester.
 */
function assignedMacs(vm: VirtualMachine, { managedNetworks, clusterUid }: VirtualMachineInputs): JsonPatchOp[] {
  const { name: vmName, namespace = '' } = vm.metadata;
  // A generated name (generateName) is not known yet; the controller assigns the MAC addresses of such a VM.
  if (vmName === '') return [];
  const noted = harvesterMacs(vm);
  const interfaces = vm.spec.template.spec.domain.devices.interfaces ?? [];
  return managedInterfaces(vm, managedNetworks)
    .filter(({ name, index }) => (interfaces[index]?.macAddress ?? '') === '' && noted[name] === undefined)
    .map(({ name, index }) => ({
      op: 'add',
      path: `/spec/template/spec/domain/devices/interfaces/${index}/macAddress`,
      value: macFor({ clusterUid, namespace, vmName, interfaceName: name }),
    }));
}
