import { isDeepStrictEqual } from 'node:util';
import { VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC, type VirtualMachineBMCStatus } from '../../api/index.ts';
import type { Draft, KubeClient } from '@groundcrew/controller-runtime';

/** Whether the manager's part of the BMC's status is this one. */
export function isReported({ status }: VirtualMachineBMC, wanted: VirtualMachineBMCStatus): boolean {
  return isDeepStrictEqual(ownPart(status, wanted), wanted);
}

/** Writes the manager's part of the status. @returns the BMC with it */
export async function report(
  bmc: VirtualMachineBMC,
  status: VirtualMachineBMCStatus,
  client: KubeClient,
): Promise<VirtualMachineBMC> {
  const { namespace = '', name, uid } = bmc.metadata;
  // An apply to the status subresource has no spec, which the type requires.
  const draft = { metadata: { namespace, name, uid }, status } as unknown as Draft<VirtualMachineBMC>;
  return await client.apply(VIRTUAL_MACHINE_BMCS, draft, { subresource: 'status', force: true });
}

/** The manager's part of a status, with the conditions that it writes; the agent, and maybe other controllers, write the rest. */
export function ownPart(
  status: VirtualMachineBMCStatus = {},
  wanted: VirtualMachineBMCStatus,
): VirtualMachineBMCStatus {
  const { phase, observedGeneration, clusterIP, loadBalancerIP, endpoints, agent, conditions } = status;
  const { name, image, observedGeneration: confirmed } = agent ?? {};
  // The agent's, but for the moment in which the BMC moves to another one.
  const isMove = wanted.agent?.observedGeneration !== undefined;
  const ownAgent = defined({ name, image, observedGeneration: isMove ? confirmed : undefined });
  return defined({
    phase,
    observedGeneration,
    clusterIP,
    loadBalancerIP,
    endpoints,
    agent: Object.keys(ownAgent).length === 0 ? undefined : ownAgent,
    conditions: conditions?.filter(({ type }) => wanted.conditions?.some((condition) => condition.type === type)),
  });
}

function defined<T extends object>(object: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  // Undefined values are removed.
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
