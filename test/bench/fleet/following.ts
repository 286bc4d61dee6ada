import { setTimeout as sleep } from 'node:timers/promises';
import type { ProgressLine } from './progress-line.ts';

/** Milliseconds between two looks at the fleet. */
const LOOK = 100;
/** Milliseconds without any progress after which a phase is given up. */
const STALLED = 120_000;

/** Shows a line until `work` is done. */
export async function following(line: ProgressLine, show: () => string, work: Promise<unknown>): Promise<void> {
  const timer = setInterval(() => {
    line.update(show());
  }, LOOK);
  try {
    await work;
  } finally {
    clearInterval(timer);
  }
  line.say(show());
}

/** Resolves when `reached` is `goal`, or has not grown for {@link STALLED} ms. */
export async function untilProgressEnds(
  line: ProgressLine,
  show: () => string,
  reached: () => number,
  goal: number,
): Promise<void> {
  let best = -1;
  let since = performance.now();
  while (reached() < goal && performance.now() - since < STALLED) {
    if (reached() > best) {
      best = reached();
      since = performance.now();
    }
    line.update(show());
    await sleep(LOOK);
  }
  line.say(show());
}
