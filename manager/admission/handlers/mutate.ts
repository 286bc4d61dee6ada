import {
  IP_POOLS,
  VIRTUAL_MACHINE_NETWORK_CONFIGS,
  VIRTUAL_MACHINES,
  type JsonPatchOp,
  type VirtualMachine,
} from '../../../api/index.ts';
import { multusNetworks, type ClusterIdentity } from '../../virtualmachine/index.ts';
import type { AdmissionOptions } from '../options.ts';
import { assignedMacs, canonicalMacs, canonicalReservations, defaultAddresses } from '../rules/index.ts';
import type { AdmissionAnswer, AdmissionRequest } from '../server/index.ts';
import { hasPool } from './inputs.ts';

export interface MutationOptions extends AdmissionOptions {
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
  object: object,
  options: MutationOptions,
): Promise<readonly JsonPatchOp[]> {
  switch (resource) {
    case IP_POOLS.plural:
      return [...(operation === 'CREATE' ? defaultAddresses(object) : []), ...canonicalReservations(object)];
    case VIRTUAL_MACHINE_NETWORK_CONFIGS.plural:
      return canonicalMacs(object);
    case VIRTUAL_MACHINES.plural:
      // A malformed VM makes the rule throw; KubeVirt rejects the VM.
      return operation === 'CREATE' ? await macsOf(object as VirtualMachine, { namespace, name }, options) : [];
    default:
      return [];
  }
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
