import { withCLibrary } from '../protocols/c-library.ts';

/** ms between two looks. */
const PERIOD = 10_000;
/** ms. What is unmapped takes processor time to map again. */
const UNMAP_EVERY = 2_000;
/** Looks in a row that find it idle. Clients that come every few seconds would find slow code each time. */
const QUIET_LOOKS = 2;
/**
 * Part of the time that an idle process is not busy for: the checks of 1,000 BMCs need a tenth. Processor time does not tell: a process
 * with much to do gets little of it on a busy machine.
 */
const IDLE = 0.2;
/** Part by which the heap of an idle process has grown when it is collected, as in V8 with the image's options. */
const GARBAGE = 0.2;
/** Bytes of new objects, which need no such collection. */
const YOUNG = 4e6;
/** kB of files that have become resident since the last time, and are worth a call. */
const GROWTH = 4_096;
/** Linux madvise(2). */
const MADVISE = { madvise: { parameters: 3 } } as const;
const MADV_DONTNEED = 4n;
/** malloc_trim(3) of the GNU C library. */
const MALLOC_TRIM = { malloc_trim: { parameters: 1 } } as const;

/** Mapped memory of a process. Bytes. */
export interface Mapping {
  start: bigint;
  size: bigint;
}

/**
 * Has the manager or an agent give back memory, for as long as it runs. The pages of Node's program file and its libraries are
 * unmapped, because most of them only the start needed. They stay in the kernel's cache of files, and are mapped again when they are
 * used. While the process is idle, V8 also makes its heap as small as it can, which costs time and optimised code, and the C library
 * gives back pages between those that are in use. With Node's `--expose-gc` the heap is collected when the process has become idle: V8
 * alone does that when it needs room, and an idle process needs none.
 *
 * @param unmapEvery ms between two times that it unmaps files while it is not idle: what it uses of them in less time is less
 * @param period ms between two looks
 */
export function giveBackMemory(unmapEvery = UNMAP_EVERY, period = PERIOD): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const unmap = unmapper();
  const unmapOften = (): NodeJS.Timeout | undefined => unmap && setInterval(unmap, unmapEvery).unref();
  let often = unmapOften();
  const collect = collector();
  const trim = withCLibrary(MALLOC_TRIM, ({ call }) => call.malloc_trim);
  let before = performance.eventLoopUtilization();
  let quietLooks = 0;
  const look = (): void => {
    const { utilization } = performance.eventLoopUtilization(before);
    before = performance.eventLoopUtilization();
    quietLooks = utilization < IDLE ? quietLooks + 1 : 0;
    const isIdle = quietLooks >= QUIET_LOOKS;
    setFlagsFromString(isIdle ? '--optimize-for-size' : '--no-optimize-for-size');
    if (!isIdle) {
      often ??= unmapOften();
      return;
    }
    clearInterval(often);
    often = undefined;
    collect?.();
    trim?.(0n);
    unmap?.();
  };
  setInterval(look, period).unref();
}

/** Collects the heap if it has grown since the last time. Undefined without Node's `--expose-gc`. */
function collector(): (() => void) | undefined {
  const { gc } = globalThis;
  if (gc === undefined) return undefined;
  const used = (): number => process.memoryUsage().heapUsed;
  let least = 0;
  return () => {
    const now = used();
    if (now <= least * (1 + GARBAGE) + YOUNG) {
      least = Math.min(least, now);
      return;
    }
    gc({ type: 'major', flavor: 'last-resort' });
    least = used();
  };
}

/**
 * Unmaps the pages of files if many are resident. Undefined without {@link withCLibrary}. Only files that are mapped now: without a
 * worker thread, these are the program and its libraries, which stay where they are for as long as the process runs. Other memory in
 * their place would be lost.
 */
function unmapper(): (() => void) | undefined {
  const madvise = withCLibrary(MADVISE, ({ call }) => call.madvise);
  if (madvise === undefined) return undefined;
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const resident = (): number => Number(/^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  const files = unchangedFiles(readFileSync('/proc/self/smaps', 'utf8'));
  let least = 0;
  return () => {
    if (resident() < least + GROWTH) return;
    for (const { start, size } of files) madvise(start, size, MADV_DONTNEED);
    least = resident();
  };
}

/**
 * The mappings of files that the process cannot write and has not changed: what is unmapped there is read again as it was.
 *
 * @param smaps Linux proc_pid_smaps(5)
 */
export function unchangedFiles(smaps: string): Mapping[] {
  return smaps.split(/^(?=[\da-f]+-)/m).flatMap((mapping) => {
    const [, start, end, mayWrite] = /^([\da-f]+)-([\da-f]+) .(.).. \S+ \S+ \S+ +\//.exec(mapping) ?? [];
    // Pages that it has changed are in memory or swapped out.
    const isUnchanged = /^Anonymous:\s+0 kB$/m.test(mapping) && !/^Swap:\s+[1-9]/m.test(mapping);
    if (mayWrite !== '-' || !isUnchanged) return [];
    const from = BigInt(`0x${start}`);
    return [{ start: from, size: BigInt(`0x${end}`) - from }];
  });
}
