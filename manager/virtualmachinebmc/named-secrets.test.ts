import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KubeClient, systemClock, type ObjectRef } from '@groundcrew/controller-runtime';
import { ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { NamedSecrets } from './named-secrets.ts';

const WEB = { namespace: 'vms', name: 'web-bmc' };
const DB = { namespace: 'vms', name: 'db-bmc' };
const CREDS = { namespace: 'vms', name: 'creds' };
const PATH = '/api/v1/namespaces/vms/secrets/creds';

const aSecret = (fields: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  data: { username: 'YQ==', password: 'Yg==', kg: 'ZA==', other: 'Yw==' },
  ...fields,
});

describe('the Secrets that BMCs name', () => {
  let api: ScriptedApi;
  let secrets: NamedSecrets;
  let told: ObjectRef[];
  let stop: AbortController;
  let running: Promise<void>;

  beforeEach(() => {
    api = new ScriptedApi();
    const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
    secrets = new NamedSecrets({
      keys: ['username', 'password', 'kg'],
      client,
      clock: systemClock,
      logger: silentLogger,
    });
    told = [];
    secrets.start((ref) => told.push(ref));
    stop = new AbortController();
    running = secrets.run(stop.signal);
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  it('are listed and watched only by name', async () => {
    api.put(PATH, aSecret());
    secrets.want(WEB, CREDS);
    await vi.waitFor(() => {
      expect(secrets.read(CREDS).state).toBe('Found');
      expect(api.watches).toBe(1);
    });
    for (const request of api.requests) {
      expect(request).toContain('/api/v1/namespaces/vms/secrets?');
      expect(request).toContain('fieldSelector=metadata.name%3Dcreds');
    }
  });

  it('are Unread before the first answer, and Missing if they do not exist', async () => {
    expect(secrets.read(CREDS)).toEqual({ state: 'Unread' });
    secrets.want(WEB, CREDS);
    expect(secrets.read(CREDS)).toEqual({ state: 'Unread' });
    await vi.waitFor(() => {
      expect(secrets.read(CREDS)).toEqual({ state: 'Missing' });
    });
  });

  it('trigger a reconcile when they are read, even if missing, and when they change', async () => {
    secrets.want(WEB, CREDS);
    secrets.want(DB, CREDS);
    await vi.waitFor(() => {
      expect(told).toEqual([WEB, DB]);
      expect(api.watches).toBe(1);
    });
    told.length = 0;
    api.put(PATH, aSecret());
    await vi.waitFor(() => {
      expect(told).toEqual([WEB, DB]);
    });
    told.length = 0;
    api.delete(PATH);
    await vi.waitFor(() => {
      expect(told).toEqual([WEB, DB]);
      expect(secrets.read(CREDS)).toEqual({ state: 'Missing' });
    });
  });

  it('are watched once, until no BMC names them', async () => {
    secrets.want(WEB, CREDS);
    secrets.want(DB, CREDS);
    await vi.waitFor(() => {
      expect(api.watches).toBe(1);
    });
    secrets.want(WEB, undefined);
    secrets.want(DB, CREDS);
    expect(api.watches).toBe(1);
    secrets.want(DB, { namespace: 'vms', name: 'others' });
    await vi.waitFor(() => {
      expect(api.watches).toBe(1);
      expect(api.requests.at(-1)).toContain('metadata.name%3Dothers');
    });
    expect(secrets.read(CREDS)).toEqual({ state: 'Unread' });
    secrets.want(DB, undefined);
    await vi.waitFor(() => {
      expect(api.watches).toBe(0);
    });
  });

  it('are stored without unused keys and without annotations, which may hold a copy', async () => {
    api.put(PATH, aSecret({ metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } } }));
    secrets.want(WEB, CREDS);
    await vi.waitFor(() => {
      expect(secrets.read(CREDS)).toMatchObject({ state: 'Found' });
    });
    const read = secrets.read(CREDS);
    if (read.state !== 'Found') throw new Error('it was found');
    expect(read.secret.data).toEqual({ username: 'YQ==', password: 'Yg==', kg: 'ZA==' });
    expect(read.secret.metadata.annotations).toBeUndefined();
  });
});
