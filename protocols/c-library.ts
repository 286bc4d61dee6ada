import type * as Ffi from 'node:ffi';

/** A function of C: how many parameters it has, and what it returns. Default: an `int`. */
interface Signature {
  parameters: number;
  returns?: 'pointer';
}

type Signatures = Readonly<Record<string, Signature>>;

/** As many as a function has parameters. */
type Arguments<Count extends number, Some extends bigint[] = []> = Some['length'] extends Count
  ? Some
  : Arguments<Count, [...Some, bigint]>;

/** Each argument is an address or an integer of 0 to 2⁶⁴ - 1, which compiled code does not verify. An `int` of -1 is 0xffffffff. */
type Functions<T extends Signatures> = {
  readonly [Name in keyof T]: (
    ...values: Arguments<T[Name]['parameters']>
  ) => T[Name] extends { returns: 'pointer' } ? bigint : number;
};

/** Memory that is mapped once and never given back: its address never changes. */
export interface FixedMemory {
  readonly address: bigint;
  readonly bytes: Buffer;
}

export interface CLibrary<T extends Signatures> {
  readonly call: Functions<T>;
  /** Whether Node has no JavaScript between the caller and functions of several parameters. */
  readonly isDirect: boolean;
  /** Memory full of zeros. @param size bytes @throws Error without memory */
  readonly map: (size: number) => FixedMemory;
}

const MMAP = { mmap: { parameters: 6, returns: 'pointer' } } as const;
/** Linux mmap(2). */
const [PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, NO_FILE] = [3n, 0x22n, 0xffff_ffffn];
const MAP_FAILED = 0xffff_ffff_ffff_ffffn;

/**
 * What `use` makes of functions of Linux's C library, and of the OpenSSL that is in Node's program. Undefined if it throws, without
 * `node:ffi`, which is an experiment of Node 26, or on another system or processor.
 *
 * All parameters are pointers for `node:ffi`. Node 26.10 has no JavaScript between the caller and a function of several pointers, so that
 * V8 compiles the call into the code that calls it: 5 ns. For all other signatures Node verifies the arguments in JavaScript, for 0.1 to
 * 0.8 µs, and later versions do so for pointers (nodejs/node#65031). On both processors an argument is in a register of 64 bits, and the
 * function reads only the bits that it needs: so a pointer can stand for an `int`.
 *
 * @param signatures by the names of the functions
 */
export function withCLibrary<const T extends Signatures, R>(
  signatures: T,
  use: (library: CLibrary<T>) => R,
): R | undefined {
  if (process.platform !== 'linux' || !['x64', 'arm64'].includes(process.arch)) return undefined;
  try {
    const ffi = process.getBuiltinModule('node:ffi');
    const call = functionsOf(ffi, signatures);
    const map = (size: number): FixedMemory => {
      const { mmap } = functionsOf(ffi, MMAP);
      const address = mmap(0n, BigInt(size), PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, NO_FILE, 0n);
      if (address === MAP_FAILED) throw new Error('no memory');
      return { address, bytes: Buffer.from(ffi.toArrayBuffer(address, size, false)) };
    };
    return use({ call, isDirect: Object.values(call).every(isDirect), map });
  } catch {
    // No such module or function, no memory, or a result that differs: callers have another way.
    return undefined;
  }
}

/** Bytes of fixed memory that {@link copyPart} may overwrite: before the place of a part, and from it on. */
export const COPY = { lead: 64, most: 1_024 } as const;

/**
 * Copies the bytes from `start` to `end`, at most `COPY.most`, into fixed memory. Of a packet all is copied, the part to `at`:
 * for a part alone V8 makes a view.
 */
export function copyPart(bytes: Buffer, start: number, end: number, memory: Buffer, at: number): void {
  if (start <= COPY.lead && bytes.length <= COPY.most) memory.set(bytes, at - start);
  else bytes.copy(memory, at, start, end);
}

/** The integers from 0 to `most`, as C takes them, by their values. Made once: `BigInt` allocates. */
export function integersTo(most: number): readonly bigint[] {
  return Array.from({ length: most + 1 }, (_, value) => BigInt(value));
}

function functionsOf<T extends Signatures>(ffi: typeof Ffi, signatures: T): Functions<T> {
  const definitions = Object.entries(signatures).map(([name, { parameters, returns }]) => {
    const pointers = Array.from({ length: parameters }, () => 'pointer' as const);
    return [name, { arguments: pointers, return: returns ?? 'i32' }] as const;
  });
  return ffi.dlopen(null, Object.fromEntries(definitions)).functions as Functions<T>; // as the definitions say
}

function isDirect(call: (...values: never[]) => unknown): boolean {
  return call.length < 2 || Function.prototype.toString.call(call).includes('[native code]');
}
