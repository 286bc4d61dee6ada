import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { readManifest, type ServedFile } from './manifest.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Answers a request for a file of the application; every request gets an answer. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Serves the built files of an application. A path is looked up in the list of built files and never reaches the file
 * system, so it cannot leave the folder. Files are read for each request: the process keeps only their names.
 *
 * @param folder as {@link builtPages} finds it
 * @throws Error if the folder has no list of files
 */
export function servePages(folder: string): PageHandler {
  const manifest = readManifest(folder);
  return (request, response) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      refuse(response, 405, 'Only GET and HEAD are allowed here.');
      return;
    }
    const name = nameOf(request.url ?? '/');
    const file = manifest[name];
    if (file === undefined) refuse(response, 404, 'There is no such page.');
    else send(request, response, { folder, name, file });
  };
}

/** The path without query and leading slash. Names of built files need no decoding. */
function nameOf(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? '';
  return path === '/' ? 'index.html' : path.slice(1);
}

interface Found {
  readonly folder: string;
  readonly name: string;
  readonly file: ServedFile;
}

function send(request: IncomingMessage, response: ServerResponse, { folder, name, file }: Found): void {
  const encoding = chooseEncoding(request.headers['accept-encoding'], file.encodings);
  const etag = encoding === undefined ? file.etag : `${file.etag.slice(0, -1)}-${encoding}"`;
  response.setHeader('Content-Type', file.type);
  response.setHeader('ETag', etag);
  response.setHeader('Vary', 'Accept-Encoding');
  response.setHeader('Cache-Control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  if (isKnown(request.headers['if-none-match'], etag)) {
    response.writeHead(304).end();
    return;
  }
  if (encoding !== undefined) response.setHeader('Content-Encoding', encoding);
  if (request.method === 'HEAD') {
    response.writeHead(200).end();
    return;
  }
  const content = createReadStream(join(folder, name + SUFFIXES[encoding ?? 'identity']));
  content.once('error', () => {
    // It was there when the application was built. A later error ends the connection.
    if (!response.headersSent) refuse(response, 500, 'The page cannot be read.');
  });
  content.once('open', () => {
    response.writeHead(200);
    // A client that leaves is no error.
    pipeline(content, response, () => undefined);
  });
}

const SUFFIXES = { br: '.br', gzip: '.gz', identity: '' } as const;

/** The smallest form that the client accepts. A `q=0` refuses an encoding (RFC 9110 §12.5.3). */
function chooseEncoding(accepted: string | undefined, available: ServedFile['encodings']): 'br' | 'gzip' | undefined {
  if (accepted === undefined) return undefined;
  const words = accepted.split(',').map((word) => word.trim().toLowerCase());
  const isAccepted = (name: string): boolean =>
    words.some((word) => word === name || (word.startsWith(`${name};`) && !/;\s*q=0(\.0*)?$/.test(word)));
  return (['br', 'gzip'] as const).find((name) => available.includes(name) && isAccepted(name));
}

function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((known) => known.trim() === '*' || known.trim().replace(/^W\//, '') === etag);
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.removeHeader('Content-Encoding');
  response.removeHeader('ETag');
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Content-Type', 'text/plain;charset=utf-8');
  response.writeHead(status).end(`${text}\n`);
}
