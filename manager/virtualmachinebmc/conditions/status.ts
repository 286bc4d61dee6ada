import { BMC_CONDITIONS, type VirtualMachineBMCStatus, type BMCPhase } from '../../../api/index.ts';
import { agentImage } from '../../agent-workload/index.ts';
import { conditionsOf, holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import type { Inputs } from '../inputs.ts';
import { actingName, isSharedName } from '../route.ts';
import { agentReady, upToDate } from './agent.ts';
import { addressesOf } from './endpoints.ts';
import { certificateReady, hasCertificate } from './certificate-ready.ts';
import { secretAvailable, ipmiOff } from './secret-available.ts';
import { serviceReady } from './service-ready.ts';
import { virtualMachineAvailable } from './virtual-machine.ts';
import { REASONS } from './condition-result.ts';
import { findCondition } from '@groundcrew/controller-runtime';

/**
 * The manager's complete part of the status: an apply removes the fields that it leaves out.
 *
 * @param now milliseconds since 1970
 */
export function statusOf(inputs: Inputs, now: number): VirtualMachineBMCStatus {
  const { bmc } = inputs;
  const observedGeneration = bmc.metadata.generation ?? 0;
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
    observedGeneration,
    ...addressesOf(inputs),
    ...agentOf(inputs),
    conditions: conditionsOf(
      { ...results, [BMC_CONDITIONS.upToDate]: upToDate(inputs) },
      bmc.status?.conditions,
      observedGeneration,
      now,
    ),
  };
}

function agentOf(inputs: Inputs): Pick<VirtualMachineBMCStatus, 'agent'> {
  const name = actingName(inputs);
  if (name === undefined) return {};
  const pod = inputs.pods.find(({ metadata }) => metadata.name === name);
  const image = isSharedName(name) ? inputs.placement.agent?.image : pod === undefined ? undefined : agentImage(pod);
  const before = inputs.bmc.status?.agent?.name;
  // It moves. What the agent before has confirmed says nothing about the next one, which writes it again.
  const isMove = before !== undefined && before !== name && (isSharedName(before) || isSharedName(name));
  return {
    agent: { name, ...(image === undefined ? {} : { image }), ...(isMove ? { observedGeneration: 0 } : {}) },
  };
}

/** The conditions that Ready summarizes, in order of dependency. */
const NEEDED_FOR_READY = [
  'VirtualMachineAvailable',
  'SecretAvailable',
  'ServiceReady',
  'CertificateReady',
  'AgentReady',
  'PowerControlAvailable',
] as const;

export type NeededForReady = Record<(typeof NEEDED_FOR_READY)[number], ConditionResult>;

/** Whether the BMC is fully working; otherwise the first problem. */
export function ready(results: NeededForReady, inputs: Inputs): ConditionResult {
  if (inputs.isContested) return holdsNot(REASONS.contested, CONTESTED);
  const blocked = NEEDED_FOR_READY.map((type) => results[type]).find(({ status }) => status !== 'True');
  if (blocked === undefined) return holds(REASONS.ready, ipmiOff(inputs) ?? 'The BMC answers.');
  return holdsNot(blocked.reason, blocked.message);
}

const CONTESTED =
  'Another controller undoes again and again what the manager writes for this BMC, so the manager writes it more and more seldom. ' +
  'If KubeVirtBMC runs, stop it; else see who else writes: kubectl get --show-managed-fields.';

/** Reasons that only a user can resolve. */
const FINAL = new Set<string>([
  REASONS.virtualMachineTaken,
  REASONS.notOwned,
  REASONS.contested,
  REASONS.refused,
  REASONS.noRoom,
]);

/**
 * The phase, a one-word summary:
 * - `Ready`: the BMC answers.
 * - `Failed`: it cannot work until a user changes something.
 * - `Degraded`: it was Ready and now lacks something.
 * - `Pending`: the virtual machine or the credentials do not exist yet.
 * - `Provisioning`: its address and its agent are being created.
 */
function phase(results: NeededForReady & { Ready: ConditionResult }, before: BMCPhase | undefined): BMCPhase {
  const { Ready, VirtualMachineAvailable, SecretAvailable } = results;
  if (Ready.status === 'True') return 'Ready';
  if (Object.values(results).some(({ reason }) => FINAL.has(reason))) return 'Failed';
  if (before === 'Ready' || before === 'Degraded') return 'Degraded';
  return VirtualMachineAvailable.status === 'True' && SecretAvailable.status === 'True' ? 'Provisioning' : 'Pending';
}

/** Whether KubeVirt accepts the BMC's power requests, as the agent reports in the status. Without a report they count as accepted. */
function powerControlAvailable({ bmc }: Inputs): ConditionResult {
  const written = findCondition(bmc.status?.conditions, BMC_CONDITIONS.powerControlAvailable);
  return written ?? holds(REASONS.powerControlAvailable, 'No refusal is known.');
}
