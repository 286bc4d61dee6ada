import {
  Controller,
  self,
  source,
  type Cache,
  type Clock,
  type KubeClient,
  type Logger,
} from '@groundcrew/controller-runtime';
import { unlessGone } from '../kubevirt/unless-gone.ts';
import { CLAIMS, PROVISIONER, STORAGE_CLASS, type Claim } from './objects.ts';

export interface ClaimBinderOptions {
  client: KubeClient;
  claims: Cache<Claim>;
  clock: Clock;
  logger: Logger;
}

/** The finalizer that the API server adds to claims. */
const PROTECTION = 'kubernetes.io/pvc-protection';

/** Binds the claims of the simulator's StorageClass, without volumes, and removes the finalizer of deleted claims. */
export async function runClaimBinder(options: ClaimBinderOptions, signal: AbortSignal): Promise<void> {
  const { client, claims, clock, logger } = options;
  const controller = new Controller({
    name: 'claim-binder',
    reconcile: async (ref) => {
      const claim = claims.get(ref);
      if (claim !== undefined) await unlessGone(() => step(claim, client));
    },
    sources: [source(claims, self)],
    clock,
    logger,
  });
  await controller.run(signal);
}

/** One write; its watch event leads to the next one. */
async function step(claim: Claim, client: KubeClient): Promise<void> {
  const { metadata, spec = {}, status } = claim;
  const { resourceVersion } = metadata;
  if (metadata.deletionTimestamp !== undefined) {
    const finalizers = metadata.finalizers ?? [];
    if (!finalizers.includes(PROTECTION)) return;
    const kept = finalizers.filter((finalizer) => finalizer !== PROTECTION);
    await client.patch(CLAIMS, metadata, 'merge', { metadata: { resourceVersion, finalizers: kept } });
  } else if (status?.phase === 'Bound' || status?.phase === 'Lost') {
    return;
  } else if (spec.storageClassName === undefined) {
    const patch = { metadata: { resourceVersion }, spec: { storageClassName: STORAGE_CLASS } };
    await client.patch(CLAIMS, metadata, 'merge', patch);
  } else if (spec.storageClassName === STORAGE_CLASS && spec.volumeName === undefined) {
    const annotations = {
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
      'volume.kubernetes.io/storage-provisioner': PROVISIONER,
    };
    const volumeName = `pvc-${metadata.uid ?? ''}`;
    await client.patch(CLAIMS, metadata, 'merge', { metadata: { resourceVersion, annotations }, spec: { volumeName } });
  } else if (spec.storageClassName === STORAGE_CLASS) {
    const capacity = { storage: spec.resources?.requests?.['storage'] ?? '0' };
    const bound: Claim['status'] = { phase: 'Bound', accessModes: spec.accessModes ?? [], capacity };
    await client.replace(CLAIMS, { ...claim, status: bound }, { subresource: 'status' });
  }
}
