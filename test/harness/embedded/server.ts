import { startApiServer } from '../../../src/sandbox/apiserver/index.ts';
import { systemClock } from '../../../src/kube/index.ts';
import { installCustomResources } from '../custom-resources.ts';
import { quietLogger } from '../quiet-logger.ts';
import { clientOf, type TestServer } from '../server.ts';
import { Relay } from './relay.ts';

/** A new embedded API server in this process, with the CRDs installed. */
export async function embeddedServer(): Promise<TestServer> {
  const api = await startApiServer({ clock: systemClock, random: Math.random, logger: quietLogger });
  const relay = await Relay.start(Number(new URL(api.server).port));
  const { ca, token } = api;
  const client = clientOf({ server: relay.url, ca, token });
  await installCustomResources(client);
  return {
    server: relay.url,
    ca,
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
