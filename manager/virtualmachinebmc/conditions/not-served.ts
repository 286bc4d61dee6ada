import { placementOf, type VirtualMachineBMCSpec } from '../../../api/index.ts';

/**
 * What a spec asks for in so many words and this version does not do, with what to do about it, as a sentence; undefined:
 * nothing. Defaults ask for nothing.
 */
export function notServed(spec: VirtualMachineBMCSpec): string | undefined {
  if (placementOf(spec) !== 'Shared') return undefined;
  return (
    'Not served by this version: spec.placement: Shared (the BMC has a pod of its own). ' +
    'Take this field out; all else works as the spec says.'
  );
}
