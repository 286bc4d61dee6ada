/** A sensor of a machine. If the source reports no value, the reading is undefined ("unavailable"), never an invented constant. */
export interface Sensor {
  /** Sensor number, 1 to 254; the same in every version. */
  readonly number: number;
  /** At most 16 ASCII characters. */
  readonly name: string;
  /** Source of the reading, for display: `spec`, `VMI status`, `metrics.k8s.io`. */
  readonly source: string;
  readonly reading: SensorReading;
}

export type SensorReading =
  /** A number in `unit`, always between `min` and `max`. */
  | { kind: 'Number'; unit: SensorUnit; min: number; max: number; value: number | undefined }
  /** States of a sensor type of IPMI 2.0 table 42-3, as offsets 0 to 14: the possible states and the asserted ones. */
  | { kind: 'States'; type: number; possible: readonly number[]; states: readonly number[] | undefined };

export type SensorUnit = 'Percent' | 'MiB' | 'Count' | 'Seconds' | 'MiB/s';
