import { randomBytes } from 'node:crypto';
import { aborted, ApiError, KubeClient, systemClock, TransportError } from '@groundcrew/controller-runtime';
import { clusterAccess, KubeconfigError } from '@groundcrew/controller-runtime/kubeconfig';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { findKubeconfig } from '../find-kubeconfig.ts';
import { createLogger } from '../logger.ts';
import type { Dependencies } from '../program.ts';
import { PortError } from '../sandbox/ports.ts';
import { serverTime } from '../status/inputs.ts';
import type { WebFlags } from './command.ts';
import { startWeb } from './start-web.ts';

/** Milliseconds for the first answer of the API server. */
const TIMEOUT = 20_000;

/**
 * Serves the page until a signal stops it.
 *
 * @returns the exit code of the process
 */
export async function runWeb(flags: WebFlags, { env, stdout, stderr }: Dependencies): Promise<number> {
  const stop = new AbortController();
  const onSignal = (): void => {
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  try {
    await using parts = new AsyncDisposableStack();
    const access = await clusterAccess(await findKubeconfig(flags.kubeconfig, env), flags.context);
    const transport = undiciTransport(access);
    const client = new KubeClient({ transport, fieldManager: 'groundcrew-cli' });
    parts.defer(() => client.close());
    await serverTime(client, AbortSignal.timeout(TIMEOUT));
    const logger = await createLogger({ level: 'error', format: 'text', descriptor: 2 });
    const web = await startWeb({
      ...{ client, transport, access, logger, port: flags.port, namespace: flags.namespace },
      ...{ clock: systemClock, random: randomBytes },
      onLink: (link) => stdout.write(`For another browser:\n${link}\n`),
    });
    parts.defer(() => web.close());
    stdout.write(`${web.link}\n`);
    await aborted(stop.signal);
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    stderr.write(`${sentenceOf(error)}\n`);
    return 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal);
  }
}

/** @throws errors that are not about the cluster, its kubeconfig or the port */
function sentenceOf(error: unknown): string {
  if (error instanceof PortError) return error.message;
  if (error instanceof ApiError || error instanceof TransportError || error instanceof KubeconfigError)
    return `The cluster could not be read: ${error.message}`;
  throw error;
}
