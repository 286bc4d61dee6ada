import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { webPages } from './web-pages.ts';

/** Serves the pages of a folder with these files in `web/bmc`, on loopback. */
async function served(files: Readonly<Record<string, string>>): Promise<{ url: string; log: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'groundcrew-pages-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, 'web/bmc'), { recursive: true });
    writeFileSync(join(folder, 'web/bmc', name), content);
  }
  const log: string[] = [];
  const note = (_fields: object, message: string): void => void log.push(message);
  const logger = { ...silentLogger, warn: note, error: note };
  const server = createServer(webPages(logger, folder)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  // Null for a closed server, a string for a pipe.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, log };
}

const PAGE = { type: 'text/html;charset=utf-8', etag: '"page"', isImmutable: false, encodings: [] };

it('serves the built pages', async () => {
  const { url, log } = await served({
    'files.json': JSON.stringify({ 'index.html': PAGE }),
    'index.html': '<!doctype html>',
  });
  expect(log).toEqual([]);
  const answers = await Promise.all(['/', '/', '/files.json'].map((path) => fetch(url + path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(await answers[0]?.text()).toBe('<!doctype html>');
});

it.each([
  ['were not built', {}, 'the web pages are not built: node scripts/build-web.ts builds them'],
  ['cannot be read', { 'files.json': '{' }, 'the web pages cannot be served'],
])('says once that the pages %s, and answers 404', async (_what, files, message) => {
  const { url, log } = await served(files);
  for (const answer of await Promise.all([fetch(url), fetch(url)])) {
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([404, 'no-store']);
    expect(await answer.text()).toBe('This BMC has no web pages.\n');
  }
  expect(log).toEqual([message]);
});
