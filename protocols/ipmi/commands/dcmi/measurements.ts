import { COMPLETION, CompletionError, PRIVILEGE } from '../../message/codes.ts';
import { dcmiCommand } from './dcmi-command.ts';

/** The mode for system power statistics. The other mode is for averaging periods, which this BMC does not have. */
const SYSTEM_STATISTICS = 0x01;
const READING_LENGTH = 17;

/**
 * Get Power Reading, DCMI 1.5 §6.6.1: "measurement not active", with zeros. KubeVirt does not measure a VM's power; exporters that ask
 * for it anyway accept this answer and report an error without it.
 */
export const getPowerReading = dcmiCommand({
  name: 'Get Power Reading',
  command: 0x02,
  privilege: PRIVILEGE.user,
  requestLength: [3, 3],
  repeatable: true,
  handle: (request) => {
    const mode = request.readUInt8(0);
    if (mode !== SYSTEM_STATISTICS) throw new CompletionError(COMPLETION.invalidField, `mode ${mode}`);
    return Buffer.alloc(READING_LENGTH);
  },
});

/** Entities of temperature sensors, DCMI 1.5 §6.5.2: inlet, processor, baseboard. */
const ENTITIES = [0x40, 0x41, 0x42];
const TEMPERATURE = 0x01;

/** @throws CompletionError 0xCC for other sensors than those of temperatures */
export function requireTemperature(sensorType: number): void {
  if (sensorType !== TEMPERATURE) throw new CompletionError(COMPLETION.invalidField, `sensor type ${sensorType}`);
}

/** Get Temperature Readings, DCMI 1.5 §6.7.3: no sensors, and no readings. KubeVirt does not measure a VM's temperature. */
export const getTemperatureReadings = dcmiCommand({
  name: 'Get Temperature Readings',
  command: 0x10,
  privilege: PRIVILEGE.user,
  requestLength: [4, 4],
  repeatable: true,
  handle: (request) => {
    requireTemperature(request.readUInt8(0));
    const entity = request.readUInt8(1);
    if (!ENTITIES.includes(entity)) throw new CompletionError(COMPLETION.invalidField, `entity ${entity}`);
    return Buffer.of(0, 0);
  },
});
