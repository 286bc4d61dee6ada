import { beforeEach, describe, expect, it } from 'vitest';
import { commandBench, type CommandBench } from '../../testing/run-command.ts';
import { someSensors } from '../../testing/some-sensors.ts';
import {
  getSensorEventEnable,
  getSensorHysteresis,
  getSensorThresholds,
  setSensorEventEnable,
  setSensorHysteresis,
  setSensorThresholds,
} from './sensor-settings.ts';
import { getSensorEventStatus, getSensorReading, getSensorType } from './sensor-readings.ts';

const [POWER, AGENT, MEMORY, CPU] = ['01', '02', '05', '06'];

let bench: CommandBench;

beforeEach(() => {
  bench = commandBench();
  bench.bmc.machine.readings = someSensors();
});

describe('Get Sensor Reading', () => {
  it.each([
    ['a state', POWER, '00 00 c0 01 80'],
    ['a state without events', AGENT, '00 00 40 02 80'],
    ['a number', MEMORY, '00 80 40 c0'],
    ['that a number is not known', CPU, '00 00 60 c0'],
  ])('returns %s to users', async (_what, sensor, answer) => {
    expect(await bench.answer(getSensorReading, sensor, bench.session(2))).toBe(answer);
  });

  it('reports an unknown state', async () => {
    bench.bmc.machine.readings = someSensors({ known: false });
    expect(await bench.answer(getSensorReading, POWER)).toBe('00 00 e0 00 80');
  });

  it.each(['00', '63', 'e7', 'ff'])('rejects sensor %s', async (sensor) => {
    expect(await bench.answer(getSensorReading, sensor)).toBe('cb');
  });
});

describe('a sensor', () => {
  it('has no thresholds and no hysteresis', async () => {
    expect(await bench.answer(getSensorThresholds, MEMORY)).toBe('00 00 00 00 00 00 00 00');
    expect(await bench.answer(getSensorHysteresis, `${MEMORY} ff`)).toBe('00 00 00');
    expect(await bench.answer(getSensorThresholds, POWER)).toBe('cd');
    expect(await bench.answer(getSensorHysteresis, `${POWER} ff`)).toBe('cd');
  });

  it('reports its event states and the asserted ones', async () => {
    expect(await bench.answer(getSensorEventEnable, POWER)).toBe('00 c0 41 00 00 00');
    expect(await bench.answer(getSensorEventStatus, POWER)).toBe('00 c0 01 00 00 00');
    expect(await bench.answer(getSensorEventEnable, AGENT)).toBe('00 40 00 00 00 00');
    expect(await bench.answer(getSensorEventStatus, MEMORY)).toBe('00 40 00 00 00 00');
    expect(await bench.answer(getSensorEventStatus, CPU)).toBe('00 60 00 00 00 00');
  });

  it('reports its type', async () => {
    expect(await bench.answer(getSensorType, POWER)).toBe('00 22 6f');
    expect(await bench.answer(getSensorType, MEMORY)).toBe('00 0b 01');
  });

  it('rejects all settings', async () => {
    expect(await bench.answer(setSensorThresholds, `${MEMORY} 00 00 00 00 00 00 00`)).toBe('cd');
    expect(await bench.answer(setSensorHysteresis, `${MEMORY} ff 00 00`)).toBe('cd');
    expect(await bench.answer(setSensorEventEnable, `${POWER} 00`)).toBe('cd');
    expect(await bench.answer(setSensorEventEnable, '63 00')).toBe('cb');
  });
});
