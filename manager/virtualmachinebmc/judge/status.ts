import { BMC_CONDITIONS, type Condition, type VirtualMachineBMCStatus } from '../../../api/index.ts';
import { setCondition } from '@groundcrew/controller-runtime';
import { AGENT_CONTAINER } from '../children/deployment.ts';
import type { Facts } from '../facts.ts';
import { activeAgent } from './active-agent.ts';
import { agentReady } from './agent-ready.ts';
import { addressesOf } from './endpoints.ts';
import { certificateReady, hasCertificate } from './certificate-ready.ts';
import type { Finding } from './finding.ts';
import { phase } from './phase.ts';
import { powerControlAvailable } from './power-control-available.ts';
import { ready } from './ready.ts';
import { secretAvailable } from './secret-available.ts';
import { serviceReady } from './service-ready.ts';
import { upToDate } from './up-to-date.ts';
import { virtualMachineAvailable } from './virtual-machine-available.ts';

/**
 * The part of the status that the manager writes, whole: an apply takes away what it leaves out.
 *
 * @param now milliseconds since 1970
 */
export function statusOf(facts: Facts, now: number): VirtualMachineBMCStatus {
  const { bmc } = facts;
  const needed = {
    [BMC_CONDITIONS.virtualMachineAvailable]: virtualMachineAvailable(facts),
    [BMC_CONDITIONS.secretAvailable]: secretAvailable(facts),
    [BMC_CONDITIONS.serviceReady]: serviceReady(facts),
    [BMC_CONDITIONS.agentReady]: agentReady(facts),
  };
  const certificate = certificateReady(facts, now);
  // A certificate that is another than it should be is better than none.
  const shown: Finding = hasCertificate(facts) ? { ...certificate, status: 'True' } : certificate;
  // The agent's condition, which is not among those that the manager writes.
  const power = { [BMC_CONDITIONS.powerControlAvailable]: powerControlAvailable(facts) };
  const neededForReady = { ...needed, ...power, [BMC_CONDITIONS.certificateReady]: shown };
  const findings = {
    ...needed,
    [BMC_CONDITIONS.certificateReady]: certificate,
    [BMC_CONDITIONS.ready]: ready(neededForReady, facts),
  };
  return {
    phase: phase({ ...findings, ...power }, bmc.status?.phase),
    observedGeneration: bmc.metadata.generation ?? 0,
    ...addressesOf(facts),
    ...agentOf(facts),
    conditions: conditionsOf({ ...findings, [BMC_CONDITIONS.upToDate]: upToDate(facts) }, facts, now),
  };
}

function agentOf(facts: Facts): Pick<VirtualMachineBMCStatus, 'agent'> {
  const pod = activeAgent(facts);
  if (pod === undefined) return {};
  const image = pod.spec?.containers.find(({ name }) => name === AGENT_CONTAINER)?.image;
  return { agent: { name: pod.metadata.name, ...(image === undefined ? {} : { image }) } };
}

function conditionsOf(findings: Record<string, Finding>, { bmc }: Facts, now: number): Condition[] {
  const observedGeneration = bmc.metadata.generation ?? 0;
  const own = bmc.status?.conditions?.filter(({ type }) => type in findings) ?? [];
  return Object.entries(findings).reduce<Condition[]>(
    (conditions, [type, finding]) => setCondition(conditions, { type, ...finding, observedGeneration }, now),
    own,
  );
}
