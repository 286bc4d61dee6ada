import { inject } from 'vitest';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { clientOver, type TestServer } from '../server.ts';
import type { ControlPlaneAddress } from './control-plane.ts';

/** The control plane of this worker, among those that the global set-up started. */
export function controlPlane(): ControlPlaneAddress {
  const worker = Number(process.env['VITEST_POOL_ID']);
  const address = inject('controlPlanes')[worker - 1];
  if (address === undefined) throw new Error(`worker ${worker} has no control plane`);
  return address;
}

export function kubernetesServer(): TestServer {
  const { server, ca, admin, control, kubeVirt } = controlPlane();
  const transport = undiciTransport({ server, ca, ...admin });
  const client = clientOver(transport);
  const order = async (action: 'kill' | 'start' | 'compact' | 'hold-controller' | 'resume-controller') => {
    const response = await fetch(`${control}/${action}`, { method: 'POST' });
    if (!response.ok) throw new Error(`the API server did not ${action}: ${await response.text()}`);
  };
  return {
    server,
    ca,
    credentials: admin,
    transport,
    client,
    compact: () => order('compact'),
    rbac: true,
    isShared: true,
    outage: { begin: () => order('kill'), end: () => order('start') },
    ...(kubeVirt === undefined
      ? {}
      : {
          kubeVirt: {
            identity: kubeVirt,
            clientOn: (node: string) =>
              clientOver(undiciTransport({ server, ca, ...admin, headers: virtHandlerOn(node) })),
            holdController: () => order('hold-controller'),
            resumeController: () => order('resume-controller'),
          },
        }),
    close: () => client.close(),
  };
}

/**
 * The identity of virt-handler on a node. KubeVirt's webhooks permit it to change only the instances of its own node.
 */
function virtHandlerOn(node: string): Record<string, string> {
  return {
    'impersonate-user': 'system:serviceaccount:kubevirt:kubevirt-handler',
    'impersonate-group': 'system:serviceaccounts',
    'impersonate-extra-authentication.kubernetes.io%2fnode-name': node,
  };
}
