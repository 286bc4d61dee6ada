import { isDeepStrictEqual } from 'node:util';
import { BMC_CONDITIONS, LABELS, labelValue, type VirtualMachineBMCStatus } from '../../api/index.ts';
import { conditionsOf, holdsNot, type ConditionResult } from '../conditions.ts';
import { CHILD_KINDS, CHILD_NAMES } from './children/children.ts';
import { REASONS } from './conditions/condition-result.ts';
import type { Inputs } from './inputs.ts';

const { agentReady: AGENT_READY, ready: READY } = BMC_CONDITIONS;

/**
 * The manager's part of the status while KubeVirtBMC serves the BMC; undefined: it does not. It has only conditions that KubeVirtBMC
 * does not write: otherwise both would undo each other's writes for ever.
 *
 * @param now milliseconds since 1970
 */
export function leftStatusOf(inputs: Inputs, now: number): VirtualMachineBMCStatus | undefined {
  const result = otherControllerServes(inputs);
  if (result === undefined) return undefined;
  const { metadata, status } = inputs.bmc;
  const observedGeneration = metadata.generation ?? 0;
  const results = { [AGENT_READY]: result, [READY]: result };
  return {
    phase: 'Failed',
    observedGeneration,
    conditions: conditionsOf(results, status?.conditions, observedGeneration, now),
  };
}

/** Whether the status says so already. */
export function saysThatItIsLeft(before: VirtualMachineBMCStatus = {}, left: VirtualMachineBMCStatus): boolean {
  const conditions = before.conditions?.filter(({ type }) => type === AGENT_READY || type === READY);
  const { phase, observedGeneration } = before;
  return isDeepStrictEqual({ phase, observedGeneration, conditions }, left);
}

function otherControllerServes({ bmc, children }: Inputs): ConditionResult | undefined {
  const child = CHILD_NAMES.find((name) => children[name].standing === 'OtherController');
  if (child === undefined) return undefined;
  const fact = children[child];
  const name = 'object' in fact ? fact.object.metadata.name : '';
  const { namespace = '', name: bmcName } = bmc.metadata;
  return holdsNot(
    REASONS.otherControllerServes,
    `KubeVirtBMC, or another controller of VirtualMachineBMCs, serves this BMC by ${CHILD_KINDS[child].kind} ${name}, so nothing is made for it. ` +
      `Stop that controller, then delete what it made: kubectl delete deployments,pods,services -n ${namespace} -l ${LABELS.bmc}=${labelValue(bmcName)}. ` +
      'An agent of Groundcrew starts by itself then.',
  );
}
