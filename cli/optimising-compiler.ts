/** V8's default. */
const CALLS = 3_000;

/**
 * Has V8 load its optimising compiler when functions have been called as often as by default. Until then the image's options
 * put it off: the paths of the modules that a start loads would cost 6 MB of Node's file in a process that has no clients yet.
 */
export function optimiseAsByDefault(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString(`--invocation-count-for-turbofan=${CALLS}`);
}
