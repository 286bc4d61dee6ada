import { inject } from 'vitest';
import { undiciTransport } from '../../../src/kube/transport-undici.ts';
import { clientOver, type TestServer } from '../server.ts';

/** The control plane that the project's global set-up started. */
export function kubernetesServer(): TestServer {
  const { server, ca, admin, control } = inject('controlPlane');
  const transport = undiciTransport({ server, ca, ...admin });
  const client = clientOver(transport);
  const order = async (action: 'kill' | 'start' | 'compact') => {
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
    outage: { begin: () => order('kill'), end: () => order('start') },
    close: () => client.close(),
  };
}
