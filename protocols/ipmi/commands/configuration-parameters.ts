import { CompletionError } from '../message/codes.ts';

/** Shared by the commands for numbered parameters: LAN, SOL, PEF, system info and boot options (IPMI 2.0 §22.14, §23, §26, §28.12, §30). */

/** Completion codes of these commands. */
export const PARAMETER_COMPLETION = { parameterNotSupported: 0x80, readOnly: 0x82 } as const;

/** Parameter revision 1, backward compatible down to 1. */
export const PARAMETER_REVISION = 0x11;

/** Bit of a request's first byte: return only the revision. */
export const REVISION_ONLY = 0x80;

/** @throws CompletionError 0x80 for a parameter that does not exist */
export function parameterAt<T>(parameters: Readonly<Record<number, T>>, number: number): T {
  const parameter = parameters[number];
  if (parameter === undefined) {
    throw new CompletionError(PARAMETER_COMPLETION.parameterNotSupported, `no parameter ${number}`);
  }
  return parameter;
}
