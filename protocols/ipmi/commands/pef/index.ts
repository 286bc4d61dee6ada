import type { Command } from '../command.ts';
import { getLastProcessedEventId } from './get-last-processed-event-id.ts';
import { getPefCapabilities } from './get-pef-capabilities.ts';
import { getPefConfigurationParameters } from './get-pef-configuration-parameters.ts';

/** Platform event filtering, IPMI 2.0 §30: reported as unsupported. */
export const PEF_COMMANDS: readonly Command[] = [
  getPefCapabilities,
  getPefConfigurationParameters,
  getLastProcessedEventId,
];
