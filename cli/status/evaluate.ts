import { evaluateBmcs, bmcProblems, type BmcStatus } from './bmcs.ts';
import type { Inputs } from './inputs.ts';
import { evaluateManagers, managerProblems, type ManagerStatus } from './managers.ts';
import {
  configProblems,
  evaluateLeases,
  evaluatePools,
  poolProblems,
  type LeaseStatus,
  type PoolStatus,
} from './networks.ts';
import type { Problem } from './problem.ts';
import { evaluateSharedAgents, sharedAgentProblems, type SharedAgentStatus } from './shared-agents.ts';
import { evaluateRollouts, rolloutProblems, type RolloutStatus } from './rollouts.ts';

/** The content of the status screen, also printed by `-o json`. */
export interface Overview {
  /** Whether everything could be read and nothing is wrong. */
  healthy: boolean;
  /** Time of the API server, RFC 3339. */
  time: string;
  managers: ManagerStatus[];
  rollouts: RolloutStatus[];
  /** Agents that serve many BMCs. */
  sharedAgents: SharedAgentStatus[];
  bmcs: BmcStatus[];
  pools: PoolStatus[];
  leases: LeaseStatus[];
  problems: Problem[];
}

/** Each finds the problems of its objects. Those that explain others come first. */
const CHECKS: readonly ((inputs: Inputs) => Problem[])[] = [
  unreadProblems,
  absentProblems,
  managerProblems,
  rolloutProblems,
  sharedAgentProblems,
  bmcProblems,
  poolProblems,
  configProblems,
];

/** Converts the cluster objects to rows and problems. */
export function evaluate(inputs: Inputs): Overview {
  const problems = CHECKS.flatMap((check) => check(inputs));
  return {
    healthy: problems.length === 0,
    time: new Date(inputs.now).toISOString(),
    managers: evaluateManagers(inputs),
    rollouts: evaluateRollouts(inputs),
    sharedAgents: evaluateSharedAgents(inputs),
    bmcs: evaluateBmcs(inputs),
    pools: evaluatePools(inputs),
    leases: evaluateLeases(inputs),
    problems,
  };
}

/** What could not be read is not known to be well. */
function unreadProblems({ unread }: Inputs): Problem[] {
  return unread.map(({ kind, namespace, reason, message }) => ({
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    reason,
    what: `Cannot read ${kind}s: ${reason === 'Forbidden' ? 'forbidden' : 'no answer'}: ${message}. What depends on them is not checked.`,
    todo:
      reason === 'Forbidden'
        ? `Ask an administrator for the right to list ${kind}s, or use another kubeconfig.`
        : 'See that the API server is well: kubectl get --raw /readyz?verbose',
  }));
}

const OURS = ['AgentRollout', 'IPPool', 'IPLease', 'VirtualMachineNetworkConfig'];

function absentProblems({ absent }: Inputs): Problem[] {
  return OURS.filter((kind) => absent.includes(kind)).map((kind) => ({
    kind,
    reason: 'NotInstalled',
    what: `The cluster has no ${kind}s: their CustomResourceDefinition is missing.`,
    todo: 'Install it with the chart: helm upgrade groundcrew charts/groundcrew -n groundcrew-system',
  }));
}
