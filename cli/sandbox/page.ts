import { randomBytes } from 'node:crypto';
import { systemClock, type Logger } from '@groundcrew/controller-runtime';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import type { EmbeddedCluster } from '@groundcrew/kubevirt-simulator';
import { startWeb } from '../web/start-web.ts';

/**
 * Serves the page of the cluster, as `groundcrew web` does.
 *
 * @returns the first link
 */
export async function servePage(
  { server, ca, token, client }: EmbeddedCluster,
  { stdout, logger }: { stdout: NodeJS.WritableStream; logger: Logger },
  parts: AsyncDisposableStack,
): Promise<string> {
  const access = { server, ca, token };
  const transport = httpsTransport(access);
  parts.defer(() => transport.close());
  const web = await startWeb({
    ...{ client, transport, access, port: 0, clock: systemClock, random: randomBytes, logger },
    onLink: (link) => stdout.write(`For another browser:\n${link}\n`),
  });
  parts.defer(() => web.close());
  return web.link;
}
