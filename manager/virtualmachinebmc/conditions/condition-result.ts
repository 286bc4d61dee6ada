import { holdsNot, type ConditionResult } from '../../conditions.ts';
import type { Inputs, Refusal } from '../inputs.ts';
import { CHILD_KINDS, type ChildName } from '../children/children.ts';
import { BMC_REASONS } from '../../../api/index.ts';

/** Checks the inputs for one problem; undefined: not found. */
export type Check = (inputs: Inputs) => ConditionResult | undefined;

/** The result of the first check that has one. */
export function firstOf(checks: readonly Check[], inputs: Inputs, otherwise: ConditionResult): ConditionResult {
  for (const check of checks) {
    const result = check(inputs);
    if (result !== undefined) return result;
  }
  return otherwise;
}

/**
 * The previous result of a condition, else `otherwise`. Used for facts that a newly started manager does not know yet,
 * so that its restart changes no condition of a healthy BMC.
 */
export function asBefore({ bmc }: Inputs, type: string, otherwise: ConditionResult): ConditionResult {
  const before = bmc.status?.conditions?.find((condition) => condition.type === type);
  return before === undefined ? otherwise : { status: before.status, reason: before.reason, message: before.message };
}

/** An object of another owner has the name of a child: it is not changed, and the user has to decide. */
export function inTheWay({ children }: Inputs, names: readonly ChildName[]): ConditionResult | undefined {
  for (const name of names) {
    const child = children[name];
    if (child.standing !== 'Theirs') continue;
    const object = `${CHILD_KINDS[name].kind} ${child.object.metadata.name}`;
    return holdsNot(
      REASONS.notOwned,
      `${object} already exists and belongs to ${child.owner}. Delete it, or give the VM another name; it is not changed.`,
    );
  }
  return undefined;
}

/** The API server rejects a child. */
export function refused({ refusals }: Inputs, names: readonly Refusal['child'][]): ConditionResult | undefined {
  const refusal = refusals.find(({ child }) => names.includes(child));
  if (refusal === undefined) return undefined;
  return holdsNot(REASONS.refused, `The API server refused ${refusal.object}: ${refusal.message}`);
}

/** Reasons of a BMC's conditions: those published in the API, and more specific ones. */
export const REASONS = {
  ...BMC_REASONS,
  /** The manager has just started and has not read the virtual machines. */
  virtualMachineUnread: 'VirtualMachineUnread',
  /** The manager has just started, or may not read the Secret. */
  secretUnread: 'SecretUnread',
  /** The manager is creating the Secret. */
  secretPending: 'SecretPending',
  /** A shared agent is not told such long credentials. */
  credentialsTooLong: 'CredentialsTooLong',
  certificateReady: 'CertificateReady',
  /** The manager is issuing the certificate. */
  certificatePending: 'CertificatePending',
  /** The Secret that the spec names does not exist. */
  certificateNotFound: 'CertificateNotFound',
  /** The certificate in the Secret is not usable. */
  certificateUnfit: 'CertificateUnfit',
  /** The CA does not sign some names; the certificate is issued without them. */
  namesNotAllowed: 'NamesNotAllowed',
  /** An object of another owner has the name of a child. */
  notOwned: 'NotOwned',
  /** KubeVirtBMC still serves the BMC. */
  otherControllerServes: 'OtherControllerServes',
  /** Another controller undoes the manager's writes again and again. */
  contested: 'Contested',
  /** There is no agent yet. */
  agentPending: 'AgentPending',
  /** The namespace can have no further shared agent. */
  noRoom: 'NoRoom',
  /** The agent uses an earlier generation of the spec. */
  agentBehind: 'AgentBehind',
  /** `spec.agent.image` is not on the installation's list. */
  imageNotAllowed: 'ImageNotAllowed',
  /** The Deployment has exceeded its progress deadline. */
  rollOutStuck: 'RollOutStuck',
} as const;
