import { placementOf, type VirtualMachineBMCSpec } from '../../api/index.ts';

/** A setting of a spec that this version does not serve. */
export interface NotServed {
  /** `spec.placement` */
  field: string;
  value: string;
  /** The rest of the sentence, with what to use instead. */
  detail: string;
}

/** The setting of the spec that this version does not serve; undefined: none. */
export function notServed(spec: VirtualMachineBMCSpec): NotServed | undefined {
  if (placementOf(spec) !== 'Shared') return undefined;
  const detail = 'is not served by this version. Use Dedicated, the default: each BMC has a pod of its own';
  return { field: 'spec.placement', value: 'Shared', detail };
}

/** The sentence for conditions and Events. */
export function notServedMessage({ field, value, detail }: NotServed): string {
  return `${field}: ${value} ${detail}.`;
}
