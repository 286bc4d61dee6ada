import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MANIFEST_NAME, type Manifest, SECURITY_HEADERS, servePages } from './index.ts';

const SCRIPT = 'bmc-ABCDEFGH.js';
const MANIFEST: Manifest = {
  'index.html': { type: 'text/html;charset=utf-8', etag: '"page"', isImmutable: false, encodings: [] },
  'lost.js': { type: 'text/javascript', etag: '"lost"', isImmutable: false, encodings: [] },
  [SCRIPT]: { type: 'text/javascript', etag: '"script"', isImmutable: true, encodings: ['br', 'gzip'] },
};

const folder = mkdtempSync(join(tmpdir(), 'groundcrew-pages-'));
const server = createServer();
beforeAll(async () => {
  writeFileSync(join(folder, MANIFEST_NAME), JSON.stringify(MANIFEST));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, SCRIPT), 'plain');
  writeFileSync(join(folder, `${SCRIPT}.br`), brotliCompressSync('plain'));
  writeFileSync(join(folder, `${SCRIPT}.gz`), gzipSync('plain'));
  writeFileSync(join(folder, 'secret'), 'not in the list');
  server.on('request', servePages(folder));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A request whose path is sent as it is, without normalisation. */
async function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  const { port } = server.address() as AddressInfo;
  return await new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, method, headers }, (answer) => {
      text(answer).then((body) => {
        resolve({ status: answer.statusCode, headers: answer.headers, body });
      }, reject);
    })
      .on('error', reject)
      .end();
  });
}

it('serves the page at the root, and asks for it again each time', async () => {
  const { status, headers, body } = await ask('/?from=bookmark');
  expect({ status, body }).toEqual({ status: 200, body: '<!doctype html>' });
  expect(headers).toMatchObject({ 'content-type': 'text/html;charset=utf-8', 'cache-control': 'no-cache' });
});

it('lets a browser keep a file whose name has a hash', async () => {
  expect((await ask(`/${SCRIPT}`)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
});

describe('an answer', () => {
  it.each([
    ['a page', '/', 'GET'],
    ['a file that is not there', '/nothing', 'GET'],
    ['another method', '/', 'POST'],
  ])('has the security headers: %s', async (_what, path, method) => {
    const { headers } = await ask(path, {}, method);
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) expect(headers[name.toLowerCase()]).toBe(value);
  });

  it('allows no inline code, no other origin and no frame', () => {
    const policy = SECURITY_HEADERS['Content-Security-Policy'] ?? '';
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });
});

describe('encodings', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0, gzip;q=0.0', undefined],
    ['deflate', undefined],
  ])('of a client that accepts %s: %s', async (accepted, encoding) => {
    const { headers } = await ask(`/${SCRIPT}`, { 'accept-encoding': accepted });
    expect(headers['content-encoding']).toBe(encoding);
    expect(headers.vary).toBe('Accept-Encoding');
    expect(headers.etag).toBe(encoding === undefined ? '"script"' : `"script-${encoding}"`);
  });

  it('are left out for a client that names none', async () => {
    expect((await ask(`/${SCRIPT}`)).body).toBe('plain');
  });
});

it('answers 304 to a client that has the file in the same form', async () => {
  const known = { 'accept-encoding': 'br', 'if-none-match': 'W/"other", "script-br"' };
  expect(await ask(`/${SCRIPT}`, known)).toMatchObject({ status: 304, body: '' });
  expect((await ask(`/${SCRIPT}`, { 'if-none-match': '"script-br"' })).status).toBe(200);
});

it('answers 500 for a file that was removed', async () => {
  const { status, headers, body } = await ask('/lost.js');
  expect([status, headers.etag, body]).toEqual([500, undefined, 'The page cannot be read.\n']);
});

it('answers HEAD without a body', async () => {
  expect(await ask('/', {}, 'HEAD')).toMatchObject({ status: 200, body: '' });
});

it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
  expect(await ask('/', {}, method)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
});

it.each([
  '/secret',
  '/../secret',
  '/%2e%2e/secret',
  '//index.html',
  `/${MANIFEST_NAME}`,
  `/${SCRIPT}.br`,
  '/constructor',
  '/__proto__',
  '/index.html%00',
  'http://elsewhere/index.html',
])('knows no other name: %s', async (path) => {
  expect(await ask(path)).toMatchObject({ status: 404, body: 'There is no such page.\n' });
});
