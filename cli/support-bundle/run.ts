import { open, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack, type Pack } from 'tar-stream';
import { ApiError, KubeClient, TransportError } from '@groundcrew/controller-runtime';
import { clusterAccess, KubeconfigError, type ClusterAccess } from '@groundcrew/controller-runtime/kubeconfig';
import { undiciTransport } from '@groundcrew/controller-runtime/transport-undici';
import { findKubeconfig } from '../find-kubeconfig.ts';
import type { Dependencies } from '../program.ts';
import { version } from '../version.ts';
import { collect, type BundleFile } from './collect.ts';
import type { SupportBundleFlags } from './command.ts';

/** Bytes of all files before compression. */
const MAX_BYTES = 200 * 1024 * 1024;

/**
 * Writes the bundle.
 *
 * @returns 0 if it was written, also without what could not be read
 */
export async function runSupportBundle(
  { kubeconfig, context, namespace, output, timeout }: SupportBundleFlags,
  { env, stdout, stderr }: Dependencies,
): Promise<number> {
  const now = new Date();
  const folder = `groundcrew-support-${now.toISOString().slice(0, 19).replaceAll(':', '')}`;
  const file = output ?? `${folder}.tar.gz`;
  try {
    await using parts = new AsyncDisposableStack();
    const access = await clusterAccess(await findKubeconfig(kubeconfig, env), context);
    const transport = undiciTransport(access);
    parts.defer(() => transport.close());
    const files = collect({
      client: new KubeClient({ transport, fieldManager: 'groundcrew-cli' }),
      ...{ transport, namespace, signal: AbortSignal.timeout(timeout) },
      secretTexts: await secretsOf(access),
      versions: { groundcrew: version(), node: process.version, time: now.toISOString(), server: access.server },
    });
    // Before the file is created: without an API server there is no bundle.
    const first = await files.next();
    const { count, failed, leftOut } = await write(file, folder, now, withFirst(first, files));
    stdout.write(
      `Wrote ${file}: ${count} files. ` +
        (failed === 0 ? '' : `${failed} reads failed; their files end with .error.txt. `) +
        (leftOut === 0 ? '' : `${leftOut} files were left out, because the bundle is full. `) +
        'Look at it before you send it: it has names, addresses and users.\n',
    );
    return 0;
  } catch (error) {
    if (!isExpected(error)) throw error;
    stderr.write(`No support bundle was written: ${error.message}\n`);
    return 1;
  }
}

function isExpected(error: unknown): error is Error {
  if (error instanceof Error && 'syscall' in error) return true;
  return error instanceof ApiError || error instanceof TransportError || error instanceof KubeconfigError;
}

async function secretsOf({ token, key }: ClusterAccess): Promise<string[]> {
  const own = typeof token === 'function' ? await token() : token;
  return [own, key].filter((text) => text !== undefined);
}

async function* withFirst(
  first: IteratorResult<BundleFile, void>,
  rest: AsyncGenerator<BundleFile, void>,
): AsyncGenerator<BundleFile, void> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}

interface Written {
  count: number;
  failed: number;
  leftOut: number;
}

/** Only the user may read the file: nobody has looked at it yet. */
async function write(path: string, folder: string, mtime: Date, files: AsyncIterable<BundleFile>): Promise<Written> {
  const archive = pack();
  const file = await open(path, 'wx', 0o600);
  const written = pipeline(archive, createGzip(), file.createWriteStream());
  // Awaited below; the archive is filled first.
  written.catch(() => undefined);
  try {
    const result = await fill(archive, folder, mtime, files);
    archive.finalize();
    await written;
    return result;
  } catch (error) {
    archive.destroy();
    await written.catch(() => undefined);
    await rm(path, { force: true });
    throw error;
  }
}

async function fill(archive: Pack, folder: string, mtime: Date, files: AsyncIterable<BundleFile>): Promise<Written> {
  let bytes = 0;
  let failed = 0;
  let count = 0;
  const leftOut: string[] = [];
  const add = (path: string, text: string): void => {
    archive.entry({ name: `${folder}/${path}`, mode: 0o600, mtime }, text);
    count += 1;
  };
  for await (const { path, text } of files) {
    bytes += Buffer.byteLength(text);
    if (bytes > MAX_BYTES) leftOut.push(path);
    else add(path, text);
    if (path.endsWith('.error.txt')) failed += 1;
  }
  if (leftOut.length > 0) add('left-out.txt', `${leftOut.join('\n')}\n`);
  return { count, failed, leftOut: leftOut.length };
}
