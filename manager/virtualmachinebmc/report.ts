import { isDeepStrictEqual } from 'node:util';
import {
  BMC_CONDITIONS,
  VIRTUAL_MACHINE_BMCS,
  type VirtualMachineBMC,
  type VirtualMachineBMCStatus,
} from '../../api/index.ts';
import type { Draft, KubeClient } from '@groundcrew/controller-runtime';

/**
 * Writes the manager's part of the status if it has changed.
 *
 * @returns whether it was written
 */
export async function report(
  bmc: VirtualMachineBMC,
  status: VirtualMachineBMCStatus,
  client: KubeClient,
): Promise<boolean> {
  if (isDeepStrictEqual(ownPart(bmc.status), status)) return false;
  const { namespace = '', name, uid } = bmc.metadata;
  // An apply to the status subresource has no spec, which the type requires.
  const draft = { metadata: { namespace, name, uid }, status } as unknown as Draft<VirtualMachineBMC>;
  await client.apply(VIRTUAL_MACHINE_BMCS, draft, { subresource: 'status', force: true });
  return true;
}

/** The manager's part of a status; the agent writes the rest. */
function ownPart(status: VirtualMachineBMCStatus = {}): VirtualMachineBMCStatus {
  const { phase, observedGeneration, clusterIP, loadBalancerIP, endpoints, agent, conditions } = status;
  const { name, image } = agent ?? {};
  const ownAgent = defined({ name, image });
  return defined({
    phase,
    observedGeneration,
    clusterIP,
    loadBalancerIP,
    endpoints,
    agent: Object.keys(ownAgent).length === 0 ? undefined : ownAgent,
    conditions: conditions?.filter(({ type }) => type !== BMC_CONDITIONS.powerControlAvailable),
  });
}

function defined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Undefined values are removed.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
