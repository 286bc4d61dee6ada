import type { IPPool } from '../../../api/index.ts';
import { refusedImage, type AgentSettings } from '../../agent-workload/index.ts';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import { decidingPool, isOfItsNamespace, type Member } from '../agents/wanted-agents.ts';
import { REASONS } from './reasons.ts';

/**
 * Whether the agents follow the pool's `spec.agent`; undefined if it has none.
 *
 * @param members the pools of the network with agents
 */
export function agentSettingsApplied(
  pool: IPPool,
  members: readonly Member[],
  settings: AgentSettings,
): ConditionResult | undefined {
  const { agent } = pool.spec;
  if (agent === undefined) return undefined;
  if (!isOfItsNamespace(pool))
    return holdsNot(
      REASONS.networkOfOtherNamespace,
      `The network ${pool.spec.networkName} is in another namespace, so spec.agent has no effect. Its pools there, or the installation, configure the agents.`,
    );
  const deciding = decidingPool(members);
  if (deciding !== undefined && deciding.metadata.uid !== pool.metadata.uid)
    return holdsNot(
      REASONS.olderPoolDecides,
      `IPPool ${deciding.metadata.name} of the same network is older: its spec.agent configures the agents. Change it there.`,
    );
  const message = refusedImage(agent, settings);
  return message === undefined
    ? holds(REASONS.settingsApplied, 'The agents are made by spec.agent.')
    : holdsNot(REASONS.imageNotAllowed, message);
}
