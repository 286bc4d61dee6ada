import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServerStartOptions, startApiServer } from '@groundcrew/apiserver';
import { systemClock } from '@groundcrew/controller-runtime';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { installCustomResources } from '../custom-resources.ts';
import { freePorts } from '../free-port.ts';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { clientOver, type TestServer } from '../server.ts';

/** A file system in memory: the server syncs each write to its disk, on which its tests would wait. */
const MEMORY = '/dev/shm';

/**
 * A new embedded API server in this process, with the CRDs installed. An outage stops it and restarts it from its data
 * folder.
 */
export async function embeddedServer(hooks: Pick<ApiServerStartOptions, 'holds'> = {}): Promise<TestServer> {
  const folder = await mkdtemp(join(existsSync(MEMORY) ? MEMORY : tmpdir(), 'groundcrew-server-'));
  // A fixed port that no other server gets during an outage.
  const [port = 0] = await freePorts(1);
  const options = { ...hooks, folder, port, clock: systemClock, random: Math.random, logger: silentLogger };
  let api = await startApiServer(options);
  const { server, ca, token } = api;
  const transport = undiciTransport({ server, ca, token });
  const client = clientOver(transport);
  await installCustomResources(client);
  return {
    server,
    ca,
    credentials: { token },
    transport,
    client,
    compact: () => Promise.resolve(),
    rbac: false,
    isShared: false,
    outage: {
      begin: () => api.close(),
      end: async () => {
        api = await startApiServer(options);
      },
    },
    close: async () => {
      await client.close();
      await api.close();
      await rm(folder, { recursive: true });
    },
  };
}
