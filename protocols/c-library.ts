import type * as Ffi from 'node:ffi';

/**
 * What `use` makes of functions of Linux's C library. Undefined if it throws, without `node:ffi`, which is an experiment of Node 26, or
 * on another system.
 *
 * @param signatures by the names of the functions
 */
export function withCLibrary<const T extends Ffi.FunctionDefinitions, R>(
  signatures: T,
  use: (functions: Ffi.WrappedFunctionsFromDefinitions<T>, ffi: typeof Ffi) => R,
): R | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const ffi = process.getBuiltinModule('node:ffi');
    return use(ffi.dlopen(null, signatures).functions, ffi);
  } catch {
    // This Node has no such module, or another one.
    return undefined;
  }
}
