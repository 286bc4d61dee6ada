import type { Command } from '../command.ts';
import { activatePayload, deactivatePayload, suspendResumePayloadEncryption } from './payload-activation.ts';
import { getChannelPayloadSupport, getChannelPayloadVersion } from './channel-payloads.ts';
import { getPayloadActivationStatus, getPayloadInstanceInfo } from './payload-status.ts';
import { getSolConfigurationParameters, setSolConfigurationParameters } from './sol-configuration-parameters.ts';
import { getUserPayloadAccess, setUserPayloadAccess } from './user-payload-access.ts';

/** Payloads and serial over LAN, IPMI 2.0 §24 and §26. */
export const SOL_COMMANDS: readonly Command[] = [
  activatePayload,
  deactivatePayload,
  getPayloadActivationStatus,
  getPayloadInstanceInfo,
  setUserPayloadAccess,
  getUserPayloadAccess,
  getChannelPayloadSupport,
  getChannelPayloadVersion,
  suspendResumePayloadEncryption,
  setSolConfigurationParameters,
  getSolConfigurationParameters,
];
