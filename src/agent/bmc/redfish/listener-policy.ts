import { lookup } from 'node:dns/promises';
import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { KubeClient } from '../../../kube/index.ts';
import type { ListenerPolicy } from '../../../protocols/redfish/index.ts';
import { caBundle } from '../trust/index.ts';

/** What the process knows of where events may be sent. Default: not to this machine itself, and names are found as the system finds them. */
export type ListenerSurroundings = Partial<Omit<ListenerPolicy, 'allowedHosts' | 'authorities'>>;

const FIELD = 'spec.redfish.events.tls.caBundleConfigMapRef';

/** Where a BMC may send events, and whom it trusts there, as its resource says now. */
export function listenerPolicy(
  current: () => VirtualMachineBMC,
  client: KubeClient,
  surroundings: ListenerSurroundings = {},
): ListenerPolicy {
  return {
    allowsLoopback: false,
    resolve,
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

async function resolve(hostName: string): Promise<readonly string[]> {
  return (await lookup(hostName, { all: true })).map(({ address }) => address);
}
