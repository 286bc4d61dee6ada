import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { KubeClient } from '../../../kube/index.ts';
import type { HostSurroundings } from '../../../protocols/hosts/index.ts';
import type { ListenerPolicy } from '../../../protocols/redfish/index.ts';
import { caBundle } from '../trust/index.ts';

const FIELD = 'spec.redfish.events.tls.caBundleConfigMapRef';

/** Where a BMC may send events, and whom it trusts there, as its resource says now. */
export function listenerPolicy(
  current: () => VirtualMachineBMC,
  client: KubeClient,
  surroundings: HostSurroundings,
): ListenerPolicy {
  return {
    ...surroundings,
    allowedHosts: () => current().spec.redfish?.events?.allowedHosts ?? [],
    authorities: async () => {
      const { metadata, spec } = current();
      const name = spec.redfish?.events?.tls?.caBundleConfigMapRef?.name;
      const { namespace = '' } = metadata;
      return name === undefined ? undefined : await caBundle(client, { namespace, name }, FIELD);
    },
  };
}
