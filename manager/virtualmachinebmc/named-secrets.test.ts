import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KubeClient, type ObjectRef } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { NamedSecrets } from './named-secrets.ts';

const WEB = { namespace: 'vms', name: 'web-bmc' };
const DB = { namespace: 'vms', name: 'db-bmc' };
const CREDS = { namespace: 'vms', name: 'creds' };
const PATH = '/api/v1/namespaces/vms/secrets/creds';
const METADATA = 'application/json;as=PartialObjectMetadata';

const aSecret = (fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  data: { username: 'YQ==', password: 'Yg==', kg: 'ZA==', other: 'Yw==' },
  ...fields,
});

describe('the Secrets that BMCs name', () => {
  let api: ScriptedApi;
  let clock: FakeClock;
  let secrets: NamedSecrets;
  let told: ObjectRef[];
  let accepted: string[];
  let stop: AbortController;
  let running: Promise<void>;

  const reads = () => api.requests.filter((request) => request === `GET ${PATH}`).length;
  const untilTold = async (...refs: ObjectRef[]): Promise<void> => {
    await vi.waitFor(() => {
      expect(told).toEqual(refs);
    });
    told.length = 0;
  };

  beforeEach(async () => {
    api = new ScriptedApi();
    accepted = [];
    api.intercept = ({ path, headers = {} }) => {
      if (path.includes('?')) accepted.push(headers['accept'] ?? '');
      return undefined;
    };
    clock = new FakeClock();
    const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
    secrets = new NamedSecrets({ keys: ['username', 'password', 'kg'], client, clock, logger: silentLogger });
    told = [];
    secrets.start((ref) => told.push(ref));
    stop = new AbortController();
    running = secrets.run(stop.signal);
    await vi.waitFor(() => {
      expect(api.watches).toBe(1);
    });
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  it('are read by name, once, and of all others the metadata is watched', async () => {
    api.put(PATH, aSecret());
    api.put('/api/v1/namespaces/vms/secrets/not-named', aSecret());
    secrets.want(WEB, [CREDS]);
    secrets.want(DB, [CREDS]);
    expect(secrets.read(CREDS)).toEqual({ state: 'Unread' });
    await Promise.all([secrets.load(CREDS), secrets.load(CREDS)]);
    await secrets.load(CREDS);
    expect(secrets.read(CREDS).state).toBe('Found');
    expect(api.requests.filter((request) => !request.includes('?'))).toEqual([`GET ${PATH}`]);
    expect(accepted).toHaveLength(2);
    for (const accept of accepted) expect(accept).toContain(METADATA);
  });

  it('are read again by all that name them after a change, also if the Secret was missing', async () => {
    secrets.want(WEB, [CREDS]);
    secrets.want(DB, [CREDS]);
    await secrets.load(CREDS);
    expect(secrets.read(CREDS)).toEqual({ state: 'Missing' });
    api.put(PATH, aSecret());
    await untilTold(WEB, DB);
    await secrets.load(CREDS);
    expect(secrets.read(CREDS).state).toBe('Found');
    api.delete(PATH);
    await untilTold(WEB, DB);
    await secrets.load(CREDS);
    expect(secrets.read(CREDS)).toEqual({ state: 'Missing' });
  });

  it('that changed while no watch was possible are found by the next list', async () => {
    api.put(PATH, aSecret());
    secrets.want(WEB, [CREDS]);
    await untilTold(WEB);
    await secrets.load(CREDS);
    api.tellsWatchers = false;
    api.delete(PATH);
    api.compact();
    api.endWatches('reset');
    await clock.advance(10_000);
    await untilTold(WEB);
    await secrets.load(CREDS);
    expect(secrets.read(CREDS)).toEqual({ state: 'Missing' });
  });

  it('are not read again when the watch tells late what is known', async () => {
    api.put(PATH, aSecret());
    secrets.want(WEB, [CREDS]);
    let answer = (): void => undefined;
    api.intercept = ({ path }) =>
      path !== PATH
        ? undefined
        : new Promise((resolve) => {
            answer = () => {
              resolve(undefined);
            };
          });
    const loaded = secrets.load(CREDS);
    await untilTold(WEB);
    answer();
    await loaded;
    await secrets.load(CREDS);
    expect(reads()).toBe(1);
  });

  it('are tried again if they could not be read, and keep what is known until then', async () => {
    api.put(PATH, aSecret());
    secrets.want(WEB, [CREDS]);
    await untilTold(WEB);
    await secrets.load(CREDS);
    api.put(PATH, aSecret());
    await untilTold(WEB);
    api.intercept = () => ({ status: 503, body: {} });
    await secrets.load(CREDS);
    expect(secrets.read(CREDS).state).toBe('Found');
    await clock.advance(10_000);
    await untilTold(WEB);
    api.intercept = () => undefined;
    await secrets.load(CREDS);
    expect(reads()).toBe(3);
  });

  it('are forgotten when no BMC names them', async () => {
    secrets.want(WEB, [CREDS]);
    secrets.want(DB, [CREDS]);
    await secrets.load(CREDS);
    secrets.want(WEB, []);
    expect(secrets.read(CREDS)).toEqual({ state: 'Missing' });
    secrets.want(DB, [{ namespace: 'vms', name: 'others' }]);
    expect(secrets.read(CREDS)).toEqual({ state: 'Unread' });
    api.put(PATH, aSecret());
    await secrets.load(CREDS);
    expect(reads()).toBe(1);
    expect(told).toEqual([]);
  });

  it('are stored without unused keys and without annotations, which may hold a copy', async () => {
    api.put(PATH, aSecret({ metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } } }));
    secrets.want(WEB, [CREDS]);
    await secrets.load(CREDS);
    const read = secrets.read(CREDS);
    if (read.state !== 'Found') throw new Error('it was not found');
    expect(read.secret.data).toEqual({ username: 'YQ==', password: 'Yg==', kg: 'ZA==' });
    expect(read.secret.metadata.annotations).toBeUndefined();
  });
});
