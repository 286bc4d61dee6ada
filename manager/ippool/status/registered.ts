import type { PoolInputs } from './inputs.ts';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import { REASONS } from './reasons.ts';

/** Whether the pool has usable addresses and a network. */
export function registered(inputs: PoolInputs): ConditionResult {
  return (
    ownFault(inputs) ?? networkFault(inputs) ?? holds(REASONS.registered, `The pool serves ${networkName(inputs)}.`)
  );
}

/** Problems that only a change of this pool or of another pool can resolve. */
function ownFault({ pool, problems, standing }: PoolInputs): ConditionResult | undefined {
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

function networkFault(inputs: PoolInputs): ConditionResult | undefined {
  const { attachment, attachmentProblem } = inputs;
  if (attachment === 'MultusAbsent')
    return holdsNot(
      REASONS.multusNotInstalled,
      'The cluster has no NetworkAttachmentDefinitions. Install Multus; the pool is taken up then.',
    );
  if (attachment === 'Missing')
    return holdsNot(
      REASONS.networkNotFound,
      `There is no ${networkName(inputs)}, or not where the manager looks. Make it; the pool is taken up then.`,
    );
  if (attachmentProblem === undefined) return undefined;
  return holdsNot(REASONS[reasonKey(attachmentProblem)], `The ${networkName(inputs)} ${attachmentProblem.message}`);
}

function reasonKey({ reason }: NonNullable<PoolInputs['attachmentProblem']>) {
  return reason === 'NetworkInvalid' ? 'networkInvalid' : 'networkNotSupported';
}

function networkName({ network }: PoolInputs): string {
  return `NetworkAttachmentDefinition ${network}`;
}
