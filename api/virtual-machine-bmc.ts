import type { z } from 'zod';
import { kindOf, type KubeObject } from './object.ts';
import type { virtualMachineBMCSpec } from './schemas/virtual-machine-bmc.ts';
import type { virtualMachineBMCStatus } from './schemas/virtual-machine-bmc-status.ts';

/** A baseboard management controller for a KubeVirt VirtualMachine. */
export interface VirtualMachineBMC extends KubeObject {
  spec: VirtualMachineBMCSpec;
  status?: VirtualMachineBMCStatus;
}

/** Fields with a default may be absent; `ipmiSettings` and similar functions apply the defaults. */
export type VirtualMachineBMCSpec = z.input<typeof virtualMachineBMCSpec>;
export type VirtualMachineBMCStatus = z.input<typeof virtualMachineBMCStatus>;
export type BootOverrideStatus = NonNullable<VirtualMachineBMCStatus['bootOverride']>;
export type FirmwareSetupStatus = NonNullable<VirtualMachineBMCStatus['firmwareSetup']>;
export type MediaStatus = NonNullable<VirtualMachineBMCStatus['virtualMedia']>[number];
export type BMCNetworkInterface = NonNullable<VirtualMachineBMCStatus['networkInterfaces']>[number];
export type BMCPhase = NonNullable<VirtualMachineBMCStatus['phase']>;

export const VIRTUAL_MACHINE_BMCS = kindOf<VirtualMachineBMC>('bmc.kubevirt.io/v1beta1', 'VirtualMachineBMC');

/** Types of a VirtualMachineBMC's conditions. */
export const BMC_CONDITIONS = {
  /** All other conditions are True: the BMC answers clients. */
  ready: 'Ready',
  /** The Service has the address of its type. */
  serviceReady: 'ServiceReady',
  virtualMachineAvailable: 'VirtualMachineAvailable',
  secretAvailable: 'SecretAvailable',
  /** The BMC's HTTPS certificate is the one that its spec requests. */
  certificateReady: 'CertificateReady',
  /** The agent answers on the protocol and serves the BMC's generation. */
  agentReady: 'AgentReady',
  /** KubeVirt accepts the BMC's power calls. Written by the agent; absent: no problem is known. */
  powerControlAvailable: 'PowerControlAvailable',
  /** The manager's objects match the BMC's generation. */
  upToDate: 'UpToDate',
} as const;

/** Reasons of these conditions. The first six are KubeVirtBMC's. */
export const BMC_REASONS = {
  serviceReady: 'ServiceReady',
  serviceNotReady: 'ServiceNotReady',
  virtualMachineFound: 'VirtualMachineFound',
  virtualMachineNotFound: 'VirtualMachineNotFound',
  secretFound: 'SecretFound',
  secretNotFound: 'SecretNotFound',
  /** KubeVirt's CRDs are not installed. */
  kubeVirtNotInstalled: 'KubeVirtNotInstalled',
  /** An older BMC serves the VM. */
  virtualMachineTaken: 'VirtualMachineTaken',
  /** The Secret lacks username or password. */
  secretIncomplete: 'SecretIncomplete',
  /** The credentials are too long for IPMI. */
  credentialsUnfitForIPMI: 'CredentialsUnfitForIPMI',
  agentReady: 'AgentReady',
  agentNotReady: 'AgentNotReady',
  powerControlAvailable: 'PowerControlAvailable',
  /** The agent lacks a permission (401, 403). */
  powerControlForbidden: 'PowerControlForbidden',
  /** KubeVirt's API is unavailable or fails (5xx). */
  powerControlUnavailable: 'PowerControlUnavailable',
  /** KubeVirt's API rejects the request (406 and similar). */
  powerControlRefused: 'PowerControlRefused',
  upToDate: 'UpToDate',
  updating: 'Updating',
  /** The API server rejected an object of the manager. */
  refused: 'Refused',
  ready: 'Ready',
  notReady: 'NotReady',
} as const;

/** Keys of the credentials Secret; `kg` is optional. */
export const SECRET_KEYS = { username: 'username', password: 'password', kg: 'kg' } as const;

/** Keys of the Secret with a BMC's certificate. */
export const CERTIFICATE_KEYS = { certificate: 'tls.crt', key: 'tls.key', authority: 'ca.crt' } as const;

/** Maximum length of credentials in IPMI 2.0, in bytes (§13.28, §22.30, §22.25). */
export const IPMI_CREDENTIAL_LIMITS = { username: 16, password: 20, kg: 20 } as const;

/**
 * Reasons of Events on a VirtualMachineBMC for client actions. A refused action has the suffix `Refused`, one that may have been
 * done the suffix `Unknown`.
 */
export const BMC_ACTIONS = [
  'PowerOn',
  'PowerOff',
  'Shutdown',
  'GracefulRestart',
  'Reset',
  'PowerCycle',
  'Pause',
  'Resume',
  'DiagnosticInterrupt',
  'BootOverrideSet',
  'BootOverrideCleared',
  'BootOrderSet',
  'RestorePolicySet',
  'MediaInserted',
  'MediaEjected',
] as const;

export type BMCAction = (typeof BMC_ACTIONS)[number];

/** Whether an Event's reason is a client action, of any outcome. */
export function isBMCAction(reason: string): boolean {
  return (BMC_ACTIONS as readonly string[]).includes(reason.replace(/(Refused|Unknown)$/, ''));
}
