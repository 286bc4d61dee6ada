import { IP_POOL_CONDITIONS, type IPPoolStatus } from '../../../api/index.ts';
import { setCondition } from '@groundcrew/controller-runtime';
import { holdsNot, type ConditionResult } from '../../conditions.ts';
import type { PoolInputs } from './inputs.ts';
import { REASONS } from './reasons.ts';

/** The part of a pool's status that the manager writes while vm-dhcp-controller serves the network. */
export type LeftStatus = Required<Pick<IPPoolStatus, 'phase' | 'observedGeneration' | 'conditions'>>;

/**
 * Only what vm-dhcp-controller does not write: otherwise both would undo each other's writes for ever. It drops the fields that it does
 * not know when it writes, and a second write of ours changes nothing that it knows.
 *
 * @param now milliseconds since 1970
 */
export function leftStatusOf(
  { pool, otherAgents, network }: PoolInputs,
  before: IPPoolStatus = {},
  now: number,
): LeftStatus {
  const observedGeneration = pool.metadata.generation ?? 0;
  const result = otherControllerServes(network, otherAgents);
  return {
    phase: 'Pending',
    observedGeneration,
    conditions: setCondition(before.conditions, { type: IP_POOL_CONDITIONS.ready, ...result, observedGeneration }, now),
  };
}

/** The same part of the status as it is. */
export function leftPart({ phase, observedGeneration, conditions }: IPPoolStatus = {}): Partial<LeftStatus> {
  return {
    ...(phase === undefined ? {} : { phase }),
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(conditions === undefined ? {} : { conditions }),
  };
}

function otherControllerServes(network: string, agents: PoolInputs['otherAgents']): ConditionResult {
  const { namespace = '', name = '' } = agents[0]?.metadata ?? {};
  const pods = `pod ${namespace}/${name}${agents.length > 1 ? ` and ${agents.length - 1} more` : ''}`;
  return holdsNot(
    REASONS.otherControllerServes,
    `vm-dhcp-controller still serves NetworkAttachmentDefinition ${network} by ${pods}, so there is no agent of Groundcrew for it. ` +
      `Stop vm-dhcp-controller, then delete its agents: kubectl delete pod -n ${namespace} ${name}. Agents of Groundcrew start by themselves then.`,
  );
}
