import type { Command } from '../command.ts';
import { getLanConfigurationParameters, setLanConfigurationParameters } from './lan-configuration-parameters.ts';

/** LAN configuration commands, IPMI 2.0 §23. */
export const LAN_COMMANDS: readonly Command[] = [setLanConfigurationParameters, getLanConfigurationParameters];
