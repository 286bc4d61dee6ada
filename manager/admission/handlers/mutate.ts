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
 * Fills in what is left to us. Nothing is refused here, and the API server has not checked the object yet: what cannot be
 * read is passed on as it is.
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
      // Where it is not shaped as one the rule throws, and KubeVirt refuses it.
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
  // An object that is created may leave its namespace to the path, and its name to the server, which makes it up later.
  const placed = { ...vm, metadata: { ...vm.metadata, ...place } };
  const managedNetworks = new Set(multusNetworks(placed).filter((network) => hasPool(network, caches)));
  if (managedNetworks.size === 0) return [];
  const clusterUid = await identity.uid();
  return clusterUid === undefined ? [] : assignedMacs(placed, { managedNetworks, clusterUid });
}
