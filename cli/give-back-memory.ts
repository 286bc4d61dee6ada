import { withCLibrary } from '../protocols/c-library.ts';

/** ms between two looks. */
const PERIOD = 10_000;
/** Looks in a row that find it idle. Clients that come every few seconds would find slow code each time. */
const QUIET_LOOKS = 2;
/** Part of a processor that an idle process does not reach: the checks of 1,000 BMCs need a tenth. */
const IDLE = 0.2;
/** kB of files that have become resident since the last time, and are worth the search for them. */
const GROWTH = 4_096;
/** Linux madvise(2). */
const MADVISE = { madvise: { arguments: ['u64', 'u64', 'i32'], return: 'i32' } } as const;
const MADV_DONTNEED = 4;
/** malloc_trim(3) of the GNU C library. */
const MALLOC_TRIM = { malloc_trim: { arguments: ['u64'], return: 'i32' } } as const;

/** Mapped memory of a process. Bytes. */
export interface Mapping {
  start: bigint;
  size: bigint;
}

/**
 * Has the manager or an agent give back memory, for as long as it runs. The pages of Node's program file and its libraries are
 * unmapped, because most of them only the start needed. They stay in the kernel's cache of files, and are mapped again when they are
 * used. While the process is idle, V8's collections also make the heap as small as they can, which costs time and optimised code, and
 * the C library gives back pages between those that are in use.
 *
 * @param period ms between two looks
 */
export function giveBackMemory(period = PERIOD): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  const unmap = unmapper();
  const trim = withCLibrary(MALLOC_TRIM, (functions) => functions.malloc_trim);
  let before = process.cpuUsage();
  let quietLooks = 0;
  setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    quietLooks = (user + system) / 1000 < IDLE * period ? quietLooks + 1 : 0;
    const isIdle = quietLooks >= QUIET_LOOKS;
    setFlagsFromString(isIdle ? '--optimize-for-size' : '--no-optimize-for-size');
    unmap?.();
    if (isIdle) trim?.(0n);
  }, period).unref();
}

/** Unmaps the pages of files if many are resident. Undefined without {@link withCLibrary}. */
function unmapper(): (() => void) | undefined {
  const madvise = withCLibrary(MADVISE, (functions) => functions.madvise);
  if (madvise === undefined) return undefined;
  const { readFileSync } = process.getBuiltinModule('node:fs');
  const resident = (): number => Number(/^RssFile:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  let least = 0;
  return () => {
    if (resident() < least + GROWTH) return;
    for (const { start, size } of unchangedFiles(readFileSync('/proc/self/smaps', 'utf8'))) {
      madvise(start, size, MADV_DONTNEED);
    }
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
