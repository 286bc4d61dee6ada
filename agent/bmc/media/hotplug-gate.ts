import type { KubeClient } from '@groundcrew/controller-runtime';
import { readKubeVirt, type KubeVirt } from '../machine/kubevirt-configuration.ts';

const DECLARATIVE = 'DeclarativeHotplugVolumes';
/** Shuts the other one out. */
const IMPERATIVE = 'HotplugVolumes';

/**
 * Whether what goes into a drive of a VM's template goes into the running guest. Where the configuration cannot be read, images wait for
 * the next boot.
 *
 * @throws ApiError, TransportError
 */
export async function hotplugsMedia(client: KubeClient): Promise<boolean> {
  const kubeVirt = await readKubeVirt(client);
  return kubeVirt !== undefined && isOpen(kubeVirt);
}

/** The gate is open by default since 1.9. */
export function isOpen({ spec, status }: Pick<KubeVirt, 'spec' | 'status'>): boolean {
  const { featureGates = [], disabledFeatureGates = [] } = spec?.configuration?.developerConfiguration ?? {};
  if (featureGates.includes(IMPERATIVE) || disabledFeatureGates.includes(DECLARATIVE)) return false;
  if (featureGates.includes(DECLARATIVE)) return true;
  const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(status?.observedKubeVirtVersion ?? '') ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 9);
}
