import type { RequestListener } from 'node:http';
import type { Logger } from '@groundcrew/controller-runtime';

/**
 * Answers requests for the pages of the web console. Nothing of it is loaded before the first request, and the pages
 * themselves are read for each.
 *
 * @param from folder in which, and above which, the built pages are looked for; default: that of the program
 */
export function webPages(logger: Logger, from?: string): RequestListener {
  let pages: Promise<RequestListener> | undefined;
  return (request, response) => {
    pages ??= loadPages(logger, from);
    void pages.then((serve) => {
      serve(request, response);
    });
  };
}

async function loadPages(logger: Logger, from: string | undefined): Promise<RequestListener> {
  try {
    const { builtPages, servePages } = await import('../../../web/server/index.ts');
    const folder = builtPages('bmc', from);
    if (folder !== undefined) return servePages(folder);
    logger.warn({}, 'the web pages are not built: node scripts/build-web.ts builds them');
  } catch (error) {
    logger.error({ err: error }, 'the web pages cannot be served');
  }
  return (_request, response) => {
    response.writeHead(404, ABSENT).end('This BMC has no web pages.\n');
  };
}

const ABSENT = { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
