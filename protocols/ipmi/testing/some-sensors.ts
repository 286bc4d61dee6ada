import type { Sensor, SensorReading } from '../../machine/index.ts';

/** Sensors of each kind, without readings if `known` is false. */
export function someSensors({ known = true }: { known?: boolean } = {}): Sensor[] {
  const sensor = (number: number, name: string, reading: SensorReading): Sensor => {
    return { number, name, source: 'test', reading };
  };
  return [
    sensor(1, 'Power State', { kind: 'States', type: 0x22, possible: [0, 6], states: known ? [0] : undefined }),
    sensor(2, 'Guest Agent', { kind: 'States', type: 0x25, possible: [0, 1], states: known ? [1] : undefined }),
    sensor(4, 'vCPUs', { kind: 'Number', unit: 'Count', min: 0, max: 255, value: known ? 4 : undefined }),
    sensor(5, 'Memory', { kind: 'Number', unit: 'MiB', min: 0, max: 4096, value: known ? 4096 : undefined }),
    sensor(6, 'CPU Used', { kind: 'Number', unit: 'Percent', min: 0, max: 100, value: undefined }),
  ];
}
