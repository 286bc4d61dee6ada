import { ApiError, type Kind, type KubeClient, type KubeObject } from '../../../kube/index.ts';

/** The part of KubeVirt's own configuration that says whether volumes are carried over to running guests. */
interface KubeVirt extends KubeObject {
  spec?: { configuration?: { developerConfiguration?: { featureGates?: string[]; disabledFeatureGates?: string[] } } };
  status?: { observedKubeVirtVersion?: string };
}

const KUBEVIRTS: Kind<KubeVirt> = {
  group: 'kubevirt.io',
  version: 'v1',
  kind: 'KubeVirt',
  plural: 'kubevirts',
  namespaced: true,
};

const DECLARATIVE = 'DeclarativeHotplugVolumes';
/** Shuts the other one out. */
const IMPERATIVE = 'HotplugVolumes';

/**
 * Whether what goes into a drive of a VM's template goes into the running guest. KubeVirt lets everybody who is logged in read its
 * configuration; where that was taken back, or there is none, it is taken for closed, and images wait for the next boot.
 *
 * @throws ApiError, TransportError
 */
export async function hotplugsMedia(client: KubeClient): Promise<boolean> {
  try {
    const { items } = await client.list(KUBEVIRTS, { limit: 1 });
    return items[0] !== undefined && isOpen(items[0]);
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return false;
    throw error;
  }
}

/** The gate is open by default since 1.9. */
export function isOpen({ spec, status }: Pick<KubeVirt, 'spec' | 'status'>): boolean {
  const { featureGates = [], disabledFeatureGates = [] } = spec?.configuration?.developerConfiguration ?? {};
  if (featureGates.includes(IMPERATIVE) || disabledFeatureGates.includes(DECLARATIVE)) return false;
  if (featureGates.includes(DECLARATIVE)) return true;
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(status?.observedKubeVirtVersion ?? '') ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 9);
}
