import type { Command } from '../command.ts';
import { getSdr, getSdrRepositoryAllocationInfo, getSdrRepositoryInfo, reserveSdrRepository } from './sdr-commands.ts';

/** Sensor data records, IPMI 2.0 §33. */
export const SDR_COMMANDS: readonly Command[] = [
  getSdrRepositoryInfo,
  getSdrRepositoryAllocationInfo,
  reserveSdrRepository,
  getSdr,
];
