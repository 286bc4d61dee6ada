import { ApiError, type Kind, type KubeClient, type KubeObject } from '@groundcrew/controller-runtime';

/** The part of KubeVirt's own configuration that agents go by. */
export interface KubeVirt extends KubeObject {
  spec?: {
    configuration?: {
      developerConfiguration?: { featureGates?: string[]; disabledFeatureGates?: string[] };
      network?: { defaultNetworkInterface?: string };
    };
  };
  status?: { observedKubeVirtVersion?: string };
}

const KUBEVIRTS: Kind<KubeVirt> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'KubeVirt',
  plural: 'kubevirts',
  namespaced: true,
};

/**
 * KubeVirt lets every authenticated user read its configuration; undefined where the cluster's administrator has taken that back, or
 * there is none.
 *
 * @throws ApiError, TransportError
 */
export async function readKubeVirt(client: KubeClient): Promise<KubeVirt | undefined> {
  try {
    const { items } = await client.list(KUBEVIRTS, { limit: 1 });
    return items[0];
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}
