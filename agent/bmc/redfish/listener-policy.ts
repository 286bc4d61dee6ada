import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { KubeClient } from '@groundcrew/controller-runtime';
import type { HostDependencies } from '../../../protocols/hosts/index.ts';
import type { ListenerPolicy } from '../../../protocols/redfish/index.ts';
import { caBundle, RememberedBundle } from '../trust/index.ts';

const FIELD = 'spec.redfish.events.tls.caBundleConfigMapRef';

/**
 * Where a BMC may send events, and whom it trusts there, as its resource says now.
 *
 * @param now ms of a clock that never goes back
 */
export function listenerPolicy(
  current: () => VirtualMachineBMC,
  client: KubeClient,
  dependencies: HostDependencies,
  now: () => number,
): ListenerPolicy {
  const bundle = new RememberedBundle((ref) => caBundle(client, ref, FIELD), now);
  return {
    ...dependencies,
    allowedHosts: () => current().spec.redfish?.events?.allowedHosts ?? [],
    authorities: async () => {
      const { metadata, spec } = current();
      const name = spec.redfish?.events?.tls?.caBundleConfigMapRef?.name;
      const { namespace = '' } = metadata;
      return name === undefined ? undefined : await bundle.of({ namespace, name });
    },
  };
}
