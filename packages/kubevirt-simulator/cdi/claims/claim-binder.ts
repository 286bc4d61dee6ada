import {
  Controller,
  isNotFound,
  self,
  source,
  type Cache,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { CLAIMS, type Claim, type StorageClass } from '../objects.ts';
import { bindingOf, PROVISIONER } from './binding.ts';

export interface ClaimBinderOptions {
  client: KubeClient;
  claims: Cache<Claim>;
  classes: Cache<StorageClass>;
  clock: Clock;
  logger: Logger;
}

/** Binds the claims of the stand-in's storage classes, and lets go of those that are deleted. */
export class ClaimBinder {
  readonly #options: ClaimBinderOptions;

  constructor(options: ClaimBinderOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { claims, classes, clock, logger } = this.#options;
    const controller = new Controller({
      name: 'claim-binder',
      reconcile: (ref) => this.#reconcile(ref),
      // A class that comes may be the one that claims wait for.
      sources: [source(claims, self), source(classes, () => claims.list().map(({ metadata }) => metadata))],
      clock,
      logger,
    });
    await controller.run(signal);
  }

  async #reconcile(ref: ObjectRef): Promise<void> {
    const claim = this.#options.claims.get(ref);
    if (claim === undefined) return;
    try {
      await this.#step(claim);
    } catch (error) {
      // It went while it was looked at.
      if (!isNotFound(error)) throw error;
    }
  }

  async #step(claim: Claim): Promise<void> {
    const { client, classes } = this.#options;
    const step = bindingOf(claim, classes.list());
    const { resourceVersion } = claim.metadata;
    switch (step.type) {
      case 'none':
        return;
      case 'release':
        await this.#patch(claim, { metadata: { resourceVersion, finalizers: step.finalizers } });
        return;
      case 'classify':
        await this.#patch(claim, { metadata: { resourceVersion }, spec: { storageClassName: step.storageClassName } });
        return;
      case 'provision':
        await this.#patch(claim, {
          metadata: {
            resourceVersion,
            annotations: {
              'pv.kubernetes.io/bind-completed': 'yes',
              'pv.kubernetes.io/bound-by-controller': 'yes',
              'volume.kubernetes.io/storage-provisioner': PROVISIONER,
            },
          },
          spec: { volumeName: step.volumeName },
        });
        return;
      case 'bind':
        await client.replace(CLAIMS, { ...claim, status: step.status }, { subresource: 'status' });
    }
  }

  async #patch(claim: Claim, patch: unknown): Promise<void> {
    await this.#options.client.patch(CLAIMS, claim.metadata, 'merge', patch);
  }
}
