import type { PoolFacts } from './facts.ts';
import { holds, holdsNot, type Finding } from './finding.ts';
import { REASONS } from './reasons.ts';

/** Whether the pool has addresses to give and a network to give them on. */
export function registered(facts: PoolFacts): Finding {
  return ownFault(facts) ?? networkFault(facts) ?? holds(REASONS.registered, `The pool serves ${networkName(facts)}.`);
}

/** What only a change of the pool, or of another, can cure. */
function ownFault({ pool, problems, standing }: PoolFacts): Finding | undefined {
  const [problem] = problems;
  if (problem !== undefined)
    return holdsNot(REASONS.specInvalid, `${problem.field} ${problem.value} ${problem.message}. Correct it.`);
  if (pool.spec.ipv4Config === undefined)
    return holdsNot(REASONS.noAddresses, 'The pool has no spec.ipv4Config, so nothing to give.');
  if (standing.holds || standing.rival === undefined) return undefined;
  const { namespace = '', name } = standing.rival.metadata;
  return holdsNot(
    REASONS.addressesTaken,
    `IPPool ${namespace}/${name} of the same network is older and has addresses of this one. ` +
      'Give this pool another range and other server addresses, or delete one of the two; this one gives none until then.',
  );
}

function networkFault(facts: PoolFacts): Finding | undefined {
  const { attachment, attachmentProblem } = facts;
  if (attachment === 'MultusAbsent')
    return holdsNot(
      REASONS.multusNotInstalled,
      'The cluster has no NetworkAttachmentDefinitions. Install Multus; the pool is taken up then.',
    );
  if (attachment === 'Missing')
    return holdsNot(
      REASONS.networkNotFound,
      `There is no ${networkName(facts)}, or not where the manager looks. Make it; the pool is taken up then.`,
    );
  if (attachmentProblem === undefined) return undefined;
  return holdsNot(REASONS[reasonKey(attachmentProblem)], `The ${networkName(facts)} ${attachmentProblem.message}`);
}

function reasonKey({ reason }: NonNullable<PoolFacts['attachmentProblem']>) {
  return reason === 'NetworkInvalid' ? 'networkInvalid' : 'networkNotSupported';
}

function networkName({ network }: PoolFacts): string {
  return `NetworkAttachmentDefinition ${network}`;
}
