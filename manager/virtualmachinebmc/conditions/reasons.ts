import { BMC_REASONS } from '../../../api/index.ts';

/** Reasons of a BMC's conditions: those published in the API, and more specific ones. */
export const REASONS = {
  ...BMC_REASONS,
  /** The manager has just started and has not read the virtual machines. */
  virtualMachineUnread: 'VirtualMachineUnread',
  /** The manager has just started, or may not read the Secret. */
  secretUnread: 'SecretUnread',
  /** The manager is creating the Secret. */
  secretPending: 'SecretPending',
  certificateReady: 'CertificateReady',
  /** The manager is issuing the certificate. */
  certificatePending: 'CertificatePending',
  /** The Secret that the spec names does not exist. */
  certificateNotFound: 'CertificateNotFound',
  /** The certificate in the Secret is not usable. */
  certificateUnfit: 'CertificateUnfit',
  /** An object of another owner has the name of a child. */
  notOwned: 'NotOwned',
  /** There is no agent yet. */
  agentPending: 'AgentPending',
  /** The agent uses an earlier generation of the spec. */
  agentBehind: 'AgentBehind',
  /** The Deployment has exceeded its progress deadline. */
  rollOutStuck: 'RollOutStuck',
} as const;
