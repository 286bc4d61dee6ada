import type { z } from 'zod';
import type { Kind, KubeObject } from './object.ts';
import type { virtualMachineBMCSpec, virtualMachineBMCStatus } from './schemas/virtual-machine-bmc.ts';

/** A baseboard management controller for a KubeVirt VirtualMachine. */
export interface VirtualMachineBMC extends KubeObject {
  spec: VirtualMachineBMCSpec;
  status?: VirtualMachineBMCStatus;
}

/** As it is written: fields with a default may be absent. `ipmiSettings` and its like fill them in. */
export type VirtualMachineBMCSpec = z.input<typeof virtualMachineBMCSpec>;
export type VirtualMachineBMCStatus = z.input<typeof virtualMachineBMCStatus>;
export type BootOverrideStatus = NonNullable<VirtualMachineBMCStatus['bootOverride']>;
export type FirmwareSetupStatus = NonNullable<VirtualMachineBMCStatus['firmwareSetup']>;
export type MediaStatus = NonNullable<VirtualMachineBMCStatus['virtualMedia']>[number];
export type BMCPhase = NonNullable<VirtualMachineBMCStatus['phase']>;

export const VIRTUAL_MACHINE_BMCS: Kind<VirtualMachineBMC> = {
  group: 'bmc.kubevirt.io',
  version: 'v1beta1',
  kind: 'VirtualMachineBMC',
  plural: 'virtualmachinebmcs',
  namespaced: true,
};

/** Types of a VirtualMachineBMC's conditions. */
export const BMC_CONDITIONS = {
  /** All others are True: a client that dials the endpoint is answered. */
  ready: 'Ready',
  /** The Service has the address that its type promises. */
  serviceReady: 'ServiceReady',
  virtualMachineAvailable: 'VirtualMachineAvailable',
  secretAvailable: 'SecretAvailable',
  /** The certificate that the BMC shows over HTTPS is the one that its spec asks for. */
  certificateReady: 'CertificateReady',
  /** The agent answers on the protocol and serves the BMC's generation. */
  agentReady: 'AgentReady',
  /** KubeVirt takes the BMC's power calls. The agent writes it; absent, nothing is known against it. */
  powerControlAvailable: 'PowerControlAvailable',
  /** What the manager makes is as the BMC's generation asks. */
  upToDate: 'UpToDate',
} as const;

/** Reasons of those conditions. The first six are what KubeVirtBMC's users wait for. */
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
  /** The credentials are of a length that IPMI cannot carry. */
  credentialsUnfitForIPMI: 'CredentialsUnfitForIPMI',
  agentReady: 'AgentReady',
  agentNotReady: 'AgentNotReady',
  powerControlAvailable: 'PowerControlAvailable',
  /** The agent lacks a permission (401, 403). */
  powerControlForbidden: 'PowerControlForbidden',
  /** KubeVirt's API is away, or fails (5xx). */
  powerControlUnavailable: 'PowerControlUnavailable',
  /** KubeVirt's API takes no such request (406 and the like). */
  powerControlRefused: 'PowerControlRefused',
  upToDate: 'UpToDate',
  updating: 'Updating',
  /** The API server refused what the manager wrote. */
  refused: 'Refused',
  ready: 'Ready',
  notReady: 'NotReady',
} as const;

/** Keys of the credentials Secret; `kg` is optional. */
export const SECRET_KEYS = { username: 'username', password: 'password', kg: 'kg' } as const;

/** Keys of the Secret with a BMC's certificate. */
export const CERTIFICATE_KEYS = { certificate: 'tls.crt', key: 'tls.key', authority: 'ca.crt' } as const;

/** Longest credentials that IPMI 2.0 carries, in bytes (§13.28, §22.30, §22.25). */
export const IPMI_CREDENTIAL_LIMITS = { username: 16, password: 20, kg: 20 } as const;

/**
 * Reasons of the Events on a VirtualMachineBMC that tell what a client asked of it. One that was refused has `Refused`
 * behind its reason.
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
  'MediaInserted',
  'MediaEjected',
] as const;

export type BMCAction = (typeof BMC_ACTIONS)[number];

/** Whether an Event's reason tells of a client's action, accepted or refused. */
export function isBMCAction(reason: string): boolean {
  return (BMC_ACTIONS as readonly string[]).includes(reason.replace(/Refused$/, ''));
}
