import type { Command } from '../command.ts';
import { activatePayload } from './activate-payload.ts';
import { deactivatePayload } from './deactivate-payload.ts';
import { getChannelPayloadSupport } from './get-channel-payload-support.ts';
import { getChannelPayloadVersion } from './get-channel-payload-version.ts';
import { getPayloadActivationStatus } from './get-payload-activation-status.ts';
import { getPayloadInstanceInfo } from './get-payload-instance-info.ts';
import { getSolConfigurationParameters } from './get-sol-configuration-parameters.ts';
import { getUserPayloadAccess } from './get-user-payload-access.ts';
import { setSolConfigurationParameters } from './set-sol-configuration-parameters.ts';
import { setUserPayloadAccess } from './set-user-payload-access.ts';
import { suspendResumePayloadEncryption } from './suspend-resume-payload-encryption.ts';

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
