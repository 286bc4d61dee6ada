import { describe, expect, it, vi } from 'vitest';
import { KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { bundleOf, type KeptSecret } from '../../authority/index.ts';
import { CERTIFICATES_SECRET, keptCertificates } from './certificates.ts';
import type { Keyring } from './keyring.ts';

const PATH = `/api/v1/namespaces/gc/secrets/${CERTIFICATES_SECRET}`;
const DAY = 86_400_000;
const START = Date.UTC(2026, 0, 1);

const replica = (api: ScriptedApi, clock = systemClock) => {
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
  return keptCertificates({ client, namespace: 'gc', names: ['webhook.gc.svc'], clock, logger: silentLogger });
};
const first = (certificates: KeptSecret<Keyring>) =>
  new Promise<Keyring>((resolve) => {
    certificates.subscribe(resolve);
  });

describe('the certificates of several replicas', () => {
  it('come from the Secret that was created first', async () => {
    const api = new ScriptedApi();
    const stop = new AbortController();
    const replicas = Array.from({ length: 4 }, () => replica(api));
    const ended = replicas.map((each) => each.run(stop.signal));
    const keyrings = await Promise.all(replicas.map(first));
    expect(new Set(keyrings.map(bundleOf)).size).toBe(1);
    expect(api.requests.filter((request) => request.startsWith('POST'))).not.toHaveLength(0);
    expect(api.objects.has(PATH)).toBe(true);
    stop.abort();
    await Promise.all(ended);
  });

  it('are renewed in time by one replica for all', async () => {
    const api = new ScriptedApi();
    const year = async (clock: FakeClock): Promise<Keyring[]> => {
      const stop = new AbortController();
      const replicas = [replica(api, clock), replica(api, clock)];
      const ended = replicas.map((each) => each.run(stop.signal));
      const keyrings = await Promise.all(replicas.map(first));
      stop.abort();
      await Promise.all(ended);
      return keyrings;
    };
    const [before] = await year(new FakeClock(START));
    const [one, other] = await year(new FakeClock(START + 300 * DAY));
    expect(one).toEqual(other);
    expect(one?.server.cert).not.toBe(before?.server.cert);
    expect(one?.authority).toEqual(before?.authority);
  });

  it('are restored unchanged after the Secret is deleted', async () => {
    const api = new ScriptedApi();
    const stop = new AbortController();
    const certificates = replica(api);
    const ended = certificates.run(stop.signal);
    const keyring = await first(certificates);
    const secret = api.objects.get(PATH);
    api.delete(PATH);
    await vi.waitFor(() => {
      expect(api.objects.get(PATH)).toMatchObject({ data: (secret as { data?: object }).data });
    });
    expect(certificates.current).toEqual(keyring);
    stop.abort();
    await ended;
  });
});
