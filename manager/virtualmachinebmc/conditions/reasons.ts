import { BMC_REASONS } from '../../../api/index.ts';

/** Reasons of a BMC's conditions: those that are published with the resource, and finer ones. */
export const REASONS = {
  ...BMC_REASONS,
  /** The manager has only just started and has not read the virtual machines. */
  virtualMachineUnread: 'VirtualMachineUnread',
  /** Likewise, or it may not read the Secret. */
  secretUnread: 'SecretUnread',
  /** The Secret is ours to make and is being made. */
  secretPending: 'SecretPending',
  certificateReady: 'CertificateReady',
  /** The certificate is ours to make and is being made. */
  certificatePending: 'CertificatePending',
  /** The Secret that the spec names is not there. */
  certificateNotFound: 'CertificateNotFound',
  /** What it holds cannot be served. */
  certificateUnfit: 'CertificateUnfit',
  /** Somebody else's object has the name of a child. */
  notOwned: 'NotOwned',
  /** There is no agent yet. */
  agentPending: 'AgentPending',
  /** The agent works by an earlier generation of the spec. */
  agentBehind: 'AgentBehind',
  /** The Deployment has not got on within its deadline. */
  rollOutStuck: 'RollOutStuck',
} as const;
