import { floorDivide } from '../time.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../types.ts';
import { CelError, type CelValue, type DurationValue, type TimestampValue } from '../values.ts';
import { member, type Functions, type Overload } from './declaration.ts';

const MILLISECOND = 1_000_000n;
const MINUTE = 60_000;

export const TIMES: Functions = {
  getFullYear: ofTimestamp((date) => date.getUTCFullYear()),
  getMonth: ofTimestamp((date) => date.getUTCMonth()),
  getDayOfYear: ofTimestamp((date) =>
    Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / (24 * 60 * MINUTE)),
  ),
  getDayOfMonth: ofTimestamp((date) => date.getUTCDate() - 1),
  getDate: ofTimestamp((date) => date.getUTCDate()),
  getDayOfWeek: ofTimestamp((date) => date.getUTCDay()),
  getHours: [...ofTimestamp((date) => date.getUTCHours()), ofDuration(3_600_000n * MILLISECOND)],
  getMinutes: [...ofTimestamp((date) => date.getUTCMinutes()), ofDuration(60_000n * MILLISECOND)],
  getSeconds: [...ofTimestamp((date) => date.getUTCSeconds()), ofDuration(1_000n * MILLISECOND)],
  getMilliseconds: [...ofTimestamp((date) => date.getUTCMilliseconds()), ofDuration(MILLISECOND)],
};

/** In UTC, or in the time zone that is named. */
function ofTimestamp(read: (date: Date) => number): Overload[] {
  const at = (value: TimestampValue, zone = 'UTC'): CelValue => {
    const milliseconds = Number(floorDivide(value.nanoseconds, MILLISECOND));
    return BigInt(read(new Date(milliseconds + offsetOf(zone, milliseconds))));
  };
  return [
    member([TIMESTAMP], INT, (value: TimestampValue) => at(value)),
    member([TIMESTAMP, STRING], INT, (value: TimestampValue, zone: string) => at(value, zone)),
  ];
}

function ofDuration(unit: bigint): Overload {
  return member([DURATION], INT, (value: DurationValue) => value.nanoseconds / unit);
}

/** Milliseconds that the zone is ahead of UTC: `Europe/Vienna`, `+01:30`. */
function offsetOf(zone: string, milliseconds: number): number {
  const match = /^([+-]?)(\d+):(\d+)$/.exec(zone);
  if (match !== null) {
    const minutes = Number(match[2]) * 60 + Number(match[3]);
    return (match[1] === '-' ? -minutes : minutes) * MINUTE;
  }
  if (zone === 'UTC' || zone === '') return 0;
  try {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }).formatToParts(milliseconds);
    const part = (type: string) => Number(parts.find((found) => found.type === type)?.value);
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return local - Math.floor(milliseconds / 1000) * 1000;
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}
