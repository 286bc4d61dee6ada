import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { relativeTime } from './relative-time.ts';

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' });

/** A time in relative words; the exact one on hover. @param at ISO 8601 */
export function Time({ at }: { at: string | undefined }): JSX.Element | null {
  return timeAt(at, useNow());
}

/** The same at a given time. @param now ms since 1970 */
export function timeAt(at: string | undefined, now: number): JSX.Element | null {
  const time = Date.parse(at ?? '');
  if (at === undefined || Number.isNaN(time)) return null;
  return (
    <time dateTime={at} title={EXACT.format(time)}>
      {relativeTime(time, now)}
    </time>
  );
}

/** ms since 1970, every half minute. */
function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, 30_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return now;
}
