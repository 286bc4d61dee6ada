import { inject } from 'vitest';
import { clientOf, type TestServer } from '../server.ts';

/** The control plane that the project's global set-up started. */
export function kubernetesServer(): TestServer {
  const { server, ca, admin, control } = inject('controlPlane');
  const client = clientOf({ server, ca, ...admin });
  const order = async (action: 'kill' | 'start') => {
    const response = await fetch(`${control}/${action}`, { method: 'POST' });
    if (!response.ok) throw new Error(`the API server did not ${action}: ${await response.text()}`);
  };
  return {
    server,
    ca,
    client,
    rbac: true,
    outage: { begin: () => order('kill'), end: () => order('start') },
    close: () => client.close(),
  };
}
