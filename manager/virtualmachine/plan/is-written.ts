import { isDeepStrictEqual } from 'node:util';
import type { VirtualMachineNetworkConfig } from '../../../api/index.ts';
import type { Draft } from '@groundcrew/controller-runtime';
import { STATIC_ADDRESSES_ANNOTATION } from './static-addresses.ts';

/** Whether the config already has the state of the draft. */
export function isWritten(
  { metadata, spec }: VirtualMachineNetworkConfig,
  draft: Draft<VirtualMachineNetworkConfig>,
): boolean {
  const { labels, annotations, finalizers, ownerReferences } = draft.metadata;
  return (
    isDeepStrictEqual(spec.networkConfigs ?? [], draft.spec.networkConfigs) &&
    Object.entries(labels ?? {}).every(([name, value]) => metadata.labels?.[name] === value) &&
    metadata.annotations?.[STATIC_ADDRESSES_ANNOTATION] === annotations?.[STATIC_ADDRESSES_ANNOTATION] &&
    (finalizers ?? []).every((name) => metadata.finalizers?.includes(name) === true) &&
    (ownerReferences ?? []).every((owner) =>
      metadata.ownerReferences?.some(({ uid, controller }) => uid === owner.uid && controller === owner.controller),
    )
  );
}
