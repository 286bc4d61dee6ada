import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { askAt, listening } from '../../../protocols/redfish/testing/loopback.ts';
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
  const server = await listening(createServer(webPages(logger, folder)));
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });
  return { url: server.url, log };
}

const PAGE = { type: 'text/html;charset=utf-8', etag: '"page"', isImmutable: false, encodings: [] };

it('serves the built pages', async () => {
  const { url, log } = await served({
    'files.json': JSON.stringify({ 'index.html': PAGE }),
    'index.html': '<!doctype html>',
  });
  expect(log).toEqual([]);
  const answers = await Promise.all(['GET /', 'GET /', 'GET /files.json'].map((request) => askAt(url, request)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
  expect(answers[0]).toMatchObject({ text: '<!doctype html>' });
});

it.each([
  ['were not built', {}, 'the web pages are not built: node scripts/build-web.ts builds them'],
  ['cannot be read', { 'files.json': '{' }, 'the web pages cannot be served'],
])('says once that the pages %s, and answers 404', async (_what, files, message) => {
  const { url, log } = await served(files);
  const answers = await Promise.all([askAt(url, 'GET /'), askAt(url, 'GET /')]);
  expect(answers.map(({ status, text }) => [status, text])).toEqual(
    [1, 2].map(() => [404, 'This BMC has no web pages.\n']),
  );
  expect(answers[0]?.headers.get('cache-control')).toBe('no-store');
  expect(log).toEqual([message]);
});
