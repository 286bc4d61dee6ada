import { placementOf, type VirtualMachineBMCSpec } from '../../../api/index.ts';

/**
 * What a spec asks for in so many words and this version does not do, with what to do about it, as a sentence; undefined:
 * nothing. Defaults ask for nothing.
 */
export function notServed(spec: VirtualMachineBMCSpec): string | undefined {
  const { redfish } = spec;
  const fields = [
    ...(placementOf(spec) === 'Shared' ? ['spec.placement: Shared (the BMC has a pod of its own)'] : []),
    ...(redfish?.http?.enabled === true ? ['spec.redfish.http.enabled: true (Redfish does not answer; use IPMI)'] : []),
    ...(redfish?.virtualMedia === undefined ? [] : ['spec.redfish.virtualMedia (no image can be inserted)']),
  ];
  if (fields.length === 0) return undefined;
  return (
    `Not served by this version: ${fields.join('; ')}. ` +
    `Take ${fields.length === 1 ? 'this field' : 'these fields'} out; all else works as the spec says.`
  );
}
