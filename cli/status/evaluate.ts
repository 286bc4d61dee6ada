import { BmcJudge, bmcProblems } from './bmcs.ts';
import { evaluateEvents } from './events.ts';
import type { Inputs } from './inputs.ts';
import { evaluateManagers, managerProblems } from './managers.ts';
import { configProblems, evaluateNetworkConfigs } from './network-configs.ts';
import { evaluateLeases, evaluatePools, poolProblems } from './networks.ts';
import type { Overview, Problem } from './overview.ts';
import { evaluateRollouts, rolloutProblems } from './rollouts.ts';
import { requestProblems } from './requests.ts';
import { evaluateSharedAgents, sharedAgentFacts, sharedAgentProblems } from './shared-agents.ts';

/**
 * Converts the cluster objects to rows and problems.
 *
 * @param judge that of earlier calls for this cluster: it judges only BMCs that have changed
 */
export function evaluate(inputs: Inputs, judge = new BmcJudge()): Overview {
  const bmcs = judge.judge(inputs);
  const sharedAgents = sharedAgentFacts(inputs);
  // Those that explain others come first.
  const problems = [
    ...unreadProblems(inputs),
    ...absentProblems(inputs),
    ...managerProblems(inputs),
    ...rolloutProblems(inputs),
    ...sharedAgentProblems(sharedAgents, inputs),
    ...bmcs.flatMap(bmcProblems),
    ...requestProblems(inputs),
    ...poolProblems(inputs),
    ...configProblems(inputs),
  ];
  return {
    healthy: problems.length === 0,
    time: new Date(inputs.now).toISOString(),
    managers: evaluateManagers(inputs),
    rollouts: evaluateRollouts(inputs),
    sharedAgents: evaluateSharedAgents(sharedAgents, inputs),
    bmcs: bmcs.map(({ row }) => row),
    pools: evaluatePools(inputs),
    leases: evaluateLeases(inputs),
    networkConfigs: evaluateNetworkConfigs(inputs),
    events: evaluateEvents(inputs),
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

const OURS = ['VirtualMachineBMC', 'AgentRollout', 'IPPool', 'IPLease', 'VirtualMachineNetworkConfig'];

function absentProblems({ absent }: Inputs): Problem[] {
  return OURS.filter((kind) => absent.includes(kind)).map((kind) => ({
    kind,
    reason: 'NotInstalled',
    what: `The cluster has no ${kind}s: their CustomResourceDefinition is missing.`,
    todo: 'Install it with the chart: helm upgrade groundcrew charts/groundcrew -n groundcrew-system',
  }));
}
