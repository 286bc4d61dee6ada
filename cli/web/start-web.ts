import type { Clock, KubeClient, Logger, Transport } from '@groundcrew/controller-runtime';
import { builtPages, servePages, type PageHandler } from '../../web/server/index.ts';
import { busyPort, PortError } from '../sandbox/ports.ts';
import { BmcWays, type Access } from './bmc-ways.ts';
import { FleetFeed } from './fleet-feed.ts';
import { LiveInputs } from './live-inputs.ts';
import { Sessions } from './sessions.ts';
import { WebServer } from './web-server.ts';

export interface WebOptions {
  client: KubeClient;
  /** That of the client. */
  transport: Transport;
  access: Access;
  /** Absent: all namespaces. */
  namespace?: string | undefined;
  /** 0: any. */
  port: number;
  clock: Clock;
  random: (bytes: number) => Buffer;
  logger: Logger;
  /** Called with a link for another browser after one was used. */
  onLink: (link: string) => void;
}

export interface Web {
  /** The first link. */
  readonly link: string;
  close(): Promise<void>;
}

/**
 * Starts the server of the page. The cluster is watched only while a browser has it open.
 *
 * @throws PortError
 */
export async function startWeb(options: WebOptions): Promise<Web> {
  const { client, transport, access, namespace, port, clock, random, logger } = options;
  const feed = new FleetFeed({
    clock,
    logger,
    source: () => new LiveInputs({ client, scope: { namespace }, clock, logger }),
  });
  const ways = new BmcWays({ client, transport, access, clock });
  let first: string | undefined;
  const link = (key: string): string => `http://127.0.0.1:${server.port}/#key=${key}`;
  const sessions = new Sessions({
    clock,
    random,
    onKey: (key) => {
      if (first === undefined) first = key;
      else options.onLink(link(key));
    },
  });
  const pages = { fleet: pagesOf('fleet'), bmc: pagesOf('bmc') };
  const server = new WebServer({ sessions, feed, ways, pages, clock, logger });
  await server.listen(port).catch((cause: unknown) => {
    const isBusy = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE';
    throw isBusy ? new PortError(busyPort('tcp', port, '--port'), { cause }) : cause;
  });
  return {
    link: link(first ?? ''),
    close: async () => {
      await server.close();
      await feed.close();
      await ways.close();
    },
  };
}

function pagesOf(name: 'fleet' | 'bmc'): PageHandler | undefined {
  const folder = builtPages(name);
  return folder === undefined ? undefined : servePages(folder);
}
