import { BMC_CONDITIONS, type Condition, type VirtualMachineBMCStatus } from '../../../api/index.ts';
import { setCondition } from '@groundcrew/controller-runtime';
import { AGENT_CONTAINER } from '../../agent-workload/index.ts';
import type { Inputs } from '../inputs.ts';
import { activeAgent } from './active-agent.ts';
import { agentReady } from './agent-ready.ts';
import { addressesOf } from './endpoints.ts';
import { certificateReady, hasCertificate } from './certificate-ready.ts';
import type { ConditionResult } from './condition-result.ts';
import { phase } from './phase.ts';
import { powerControlAvailable } from './power-control-available.ts';
import { ready } from './ready.ts';
import { secretAvailable } from './secret-available.ts';
import { serviceReady } from './service-ready.ts';
import { upToDate } from './up-to-date.ts';
import { virtualMachineAvailable } from './virtual-machine-available.ts';

/**
 * The manager's complete part of the status: an apply removes the fields that it leaves out.
 *
 * @param now milliseconds since 1970
 */
export function statusOf(inputs: Inputs, now: number): VirtualMachineBMCStatus {
  const { bmc } = inputs;
  const needed = {
    [BMC_CONDITIONS.virtualMachineAvailable]: virtualMachineAvailable(inputs),
    [BMC_CONDITIONS.secretAvailable]: secretAvailable(inputs),
    [BMC_CONDITIONS.serviceReady]: serviceReady(inputs),
    [BMC_CONDITIONS.agentReady]: agentReady(inputs),
  };
  const certificate = certificateReady(inputs, now);
  // Any certificate is enough to serve.
  const shown: ConditionResult = hasCertificate(inputs) ? { ...certificate, status: 'True' } : certificate;
  // The agent writes this condition, not the manager.
  const power = { [BMC_CONDITIONS.powerControlAvailable]: powerControlAvailable(inputs) };
  const neededForReady = { ...needed, ...power, [BMC_CONDITIONS.certificateReady]: shown };
  const results = {
    ...needed,
    [BMC_CONDITIONS.certificateReady]: certificate,
    [BMC_CONDITIONS.ready]: ready(neededForReady, inputs),
  };
  return {
    phase: phase({ ...results, ...power }, bmc.status?.phase),
    observedGeneration: bmc.metadata.generation ?? 0,
    ...addressesOf(inputs),
    ...agentOf(inputs),
    conditions: conditionsOf({ ...results, [BMC_CONDITIONS.upToDate]: upToDate(inputs) }, inputs, now),
  };
}

function agentOf(inputs: Inputs): Pick<VirtualMachineBMCStatus, 'agent'> {
  const pod = activeAgent(inputs);
  if (pod === undefined) return {};
  const image = pod.spec?.containers.find(({ name }) => name === AGENT_CONTAINER)?.image;
  return { agent: { name: pod.metadata.name, ...(image === undefined ? {} : { image }) } };
}

function conditionsOf(results: Record<string, ConditionResult>, { bmc }: Inputs, now: number): Condition[] {
  const observedGeneration = bmc.metadata.generation ?? 0;
  const own = bmc.status?.conditions?.filter(({ type }) => type in results) ?? [];
  return Object.entries(results).reduce<Condition[]>(
    (conditions, [type, result]) => setCondition(conditions, { type, ...result, observedGeneration }, now),
    own,
  );
}
