import { startApiServer } from '../../../src/sandbox/apiserver/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { undiciTransport } from '../../../src/kube/transport-undici.ts';
import { installCustomResources } from '../custom-resources.ts';
import { quietLogger } from '../quiet-logger.ts';
import { clientOver, type TestServer } from '../server.ts';
import { Relay } from './relay.ts';

/** A new embedded API server in this process, with the CRDs installed. */
export async function embeddedServer(): Promise<TestServer> {
  const api = await startApiServer({ clock: systemClock, random: Math.random, logger: quietLogger });
  const relay = await Relay.start(Number(new URL(api.server).port));
  const { ca, token } = api;
  const transport = undiciTransport({ server: relay.url, ca, token });
  const client = clientOver(transport);
  await installCustomResources(client);
  return {
    server: relay.url,
    ca,
    credentials: { token },
    transport,
    client,
    rbac: false,
    outage: { begin: () => relay.interrupt(), end: () => relay.listen() },
    close: async () => {
      await client.close();
      await relay.close();
      await api.close();
    },
  };
}
