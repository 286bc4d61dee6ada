import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '@groundcrew/controller-runtime';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { Importer, type ImporterOptions, type ImportState } from './importer.ts';
import { NotStartable, type ImportOrder } from './import-order.ts';
import { ANY_ADDRESS } from './internal-addresses.ts';

const servers: Server[] = [];
const importers: Importer[] = [];
afterEach(async () => {
  for (const importer of importers.splice(0)) await importer.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** For a machine that does much else. */
const PATIENT = { interval: 5, timeout: 5000 };
const KEY = { namespace: 'vms', name: 'iso', uid: 'claim-uid' };

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.iso`;
}

function importer(onChange: () => void = () => undefined, options: Partial<ImporterOptions> = {}): Importer {
  const made = new Importer({
    times: { connectTimeout: 10_000, idleTimeout: 10_000, backOff: 5, maxBackOff: 10 },
    concurrency: 1,
    mayConnect: () => ANY_ADDRESS,
    onChange,
    clock: systemClock,
    logger: silentLogger,
    ...options,
  });
  importers.push(made);
  return made;
}

function orderOf(url: string): () => Promise<ImportOrder> {
  const http = { url, headers: [], authorities: [], insecure: false, checksum: undefined };
  return () => Promise.resolve({ http, available: 1_000_000 });
}

async function until(made: Importer, wanted: (state: ImportState | undefined) => boolean): Promise<ImportState> {
  await expect.poll(() => wanted(made.get(KEY.uid)), PATIENT).toBe(true);
  const state = made.get(KEY.uid);
  if (state === undefined) throw new Error('it is forgotten');
  return state;
}

describe('an import', () => {
  it('is begun once, and ends', async () => {
    let gets = 0;
    const url = await serve((request, response) => {
      if (request.method === 'GET') gets += 1;
      response.end('an image');
    });
    const seen: string[] = [];
    const made = importer(() => seen.push(made.get(KEY.uid)?.phase ?? ''));
    expect(made.ensure(KEY, orderOf(url))).toMatchObject({ phase: 'Waiting', restarts: 0 });
    made.ensure(KEY, orderOf(url));
    expect(await until(made, (state) => state?.phase === 'Succeeded')).toMatchObject({ received: { bytes: 8 } });
    expect(gets).toBe(1);
    expect(seen).toEqual(['Running', 'Succeeded']);
  });

  it('is repeated, counting on from what there was', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      if (asked <= 4) response.writeHead(500).end();
      else response.end('an image');
    });
    const made = importer();
    made.ensure(KEY, orderOf(url), 5);
    expect(await until(made, (state) => state?.phase === 'Succeeded')).toMatchObject({ restarts: 7 });
  });

  it('waits for what its container needs', async () => {
    const url = await serve((_request, response) => response.end('an image'));
    const made = importer();
    let isThere = false;
    made.ensure(KEY, () => {
      if (isThere) return orderOf(url)();
      return Promise.reject(new NotStartable('CreateContainerConfigError', 'secret "s" not found'));
    });
    const state = await until(made, (seen) => seen?.phase === 'Waiting' && seen.message !== '');
    expect(state).toMatchObject({ reason: 'CreateContainerConfigError', message: 'secret "s" not found' });
    isThere = true;
    await until(made, (seen) => seen?.phase === 'Succeeded');
  });

  it('fails, and is repeated, also for reasons of its own', async () => {
    const made = importer();
    made.ensure(KEY, () => Promise.reject(new Error('the API server is away')));
    expect(await until(made, (state) => state?.phase === 'Failed')).toMatchObject({
      message: 'the API server is away',
    });
  });

  it('is broken off, and its connection closed', async () => {
    let open = 0;
    const url = await serve((request, response) => {
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      open += 1;
      response.once('close', () => (open -= 1));
      response.write('the beginning');
    });
    const made = importer();
    made.ensure(KEY, orderOf(url));
    await until(made, (state) => state?.phase === 'Running' && state.bytes > 0);
    expect(open).toBe(1);
    made.abort(KEY.uid);
    expect(made.get(KEY.uid)).toBeUndefined();
    await expect.poll(() => open, PATIENT).toBe(0);
  });
});
