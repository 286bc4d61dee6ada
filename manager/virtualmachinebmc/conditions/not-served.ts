import { placementOf, type VirtualMachineBMCSpec } from '../../../api/index.ts';

/**
 * A sentence about settings of the spec that this version does not support, with what to do; undefined: none. Default
 * values do not count.
 */
export function notServed(spec: VirtualMachineBMCSpec): string | undefined {
  if (placementOf(spec) !== 'Shared') return undefined;
  return (
    'Not served by this version: spec.placement: Shared (the BMC has a pod of its own). ' +
    'Take this field out; all else works as the spec says.'
  );
}
