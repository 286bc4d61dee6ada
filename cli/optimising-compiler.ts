/** V8's default. */
const CALLS = 3_000;

/**
 * Has V8 load its optimising compiler when functions have been called as often as by default. Until then the image's options
 * put it off: the paths of the modules that a start loads would cost 6 MB of Node's file in a process that has no clients yet.
 */
export function optimiseAsByDefault(): void {
  setFlag(`--invocation-count-for-turbofan=${CALLS}`);
}

/**
 * Has V8 compile with its first compiler on the main thread. At the end of the process, Node waits for the threads that compile; such
 * a thread may wait for a garbage collection, for which the main thread has no time any more: the process would hang
 * (nodejs/node#54918).
 */
export function compileSoThatItEnds(): void {
  setFlag('--no-concurrent-sparkplug');
}

/** Sets an option of V8 while the process runs. */
export function setFlag(flag: string): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(flag);
}
