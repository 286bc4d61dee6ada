import type { Machine, Sensor } from '../../../machine/index.ts';
import { COMPLETION, CompletionError } from '../../message/completion-code.ts';

/** @throws CompletionError 0xCB if no sensor with a reading has this number */
export function findSensor(machine: Machine, number: number): Sensor {
  const sensor = machine.sensors().find((candidate) => candidate.number === number);
  if (sensor === undefined) throw new CompletionError(COMPLETION.notPresent, `no sensor ${number}`);
  return sensor;
}

/**
 * Finds a numeric sensor; only those have thresholds and hysteresis.
 *
 * @throws CompletionError 0xCB, 0xCD
 */
export function findNumberSensor(machine: Machine, number: number): Sensor {
  const sensor = findSensor(machine, number);
  if (sensor.reading.kind === 'Number') return sensor;
  throw new CompletionError(COMPLETION.notForSensor, `sensor ${number} has states`);
}
