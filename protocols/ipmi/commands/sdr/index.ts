import type { Command } from '../command.ts';
import { getSdr } from './get-sdr.ts';
import { getSdrRepositoryAllocationInfo } from './get-sdr-repository-allocation-info.ts';
import { getSdrRepositoryInfo } from './get-sdr-repository-info.ts';
import { reserveSdrRepository } from './reserve-sdr-repository.ts';

/** Sensor data records, IPMI 2.0 §33. */
export const SDR_COMMANDS: readonly Command[] = [
  getSdrRepositoryInfo,
  getSdrRepositoryAllocationInfo,
  reserveSdrRepository,
  getSdr,
];
