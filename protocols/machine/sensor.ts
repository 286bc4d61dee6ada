/**
 * Something that a machine measures. Where the source does not say, the reading is undefined ("unavailable"), never a constant
 * that only looks like a reading.
 */
export interface Sensor {
  /** Small number that stays the same for this sensor in every version; 1 to 254. */
  readonly number: number;
  /** At most 16 ASCII characters. */
  readonly name: string;
  /** Where the reading comes from, for people: `spec`, `VMI status`, `metrics.k8s.io`. */
  readonly source: string;
  readonly reading: SensorReading;
}

export type SensorReading =
  /** A number in `unit`, which never leaves `min` to `max`. */
  | { kind: 'Number'; unit: SensorUnit; min: number; max: number; value: number | undefined }
  /** States of a sensor type of IPMI 2.0 table 42-3, by their offsets, 0 to 14: those that it may have, and those that hold. */
  | { kind: 'States'; type: number; possible: readonly number[]; states: readonly number[] | undefined };

export type SensorUnit = 'Percent' | 'MiB' | 'Count' | 'Seconds' | 'MiB/s';
