import { ApiError, type Kind, type KubeObject } from '@groundcrew/controller-runtime';
import type { AdmissionOptions } from '../options.ts';

interface ServiceCidr extends KubeObject {
  spec?: { cidrs?: string[] };
}

const SERVICE_CIDRS: Kind<ServiceCidr> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  plural: 'servicecidrs',
  namespaced: false,
};

/**
 * The addresses of the cluster's Services as CIDRs, from the ServiceCIDR API (Kubernetes 1.33 or later). Empty if the
 * API is not available: the result is used only for a warning. Never throws.
 */
export async function serviceRanges(
  { client, logger }: Pick<AdmissionOptions, 'client' | 'logger'>,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const { items } = await client.list(SERVICE_CIDRS, { limit: 100, signal });
    return items.flatMap(({ spec }) => spec?.cidrs ?? []);
  } catch (error) {
    if (!(error instanceof ApiError && [403, 404].includes(error.status)))
      logger.debug({ err: error }, 'the addresses of Services are not known');
    return [];
  }
}
