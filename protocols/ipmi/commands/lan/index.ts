import type { Command } from '../command.ts';
import { getLanConfigurationParameters } from './get-lan-configuration-parameters.ts';
import { setLanConfigurationParameters } from './set-lan-configuration-parameters.ts';

/** LAN configuration commands, IPMI 2.0 §23. */
export const LAN_COMMANDS: readonly Command[] = [setLanConfigurationParameters, getLanConfigurationParameters];
