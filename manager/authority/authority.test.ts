import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { Authority } from './authority.ts';
import { canIssue, isIssuedFor, timeLeft, makeServerCertificate, type Issuer } from './certificates.ts';

const SECRET = '/api/v1/namespaces/gc/secrets/groundcrew-ca';
const CONFIG_MAP = '/api/v1/namespaces/gc/configmaps/groundcrew-ca';
const DAY = 86_400_000;

/** Keys are generated in this time; a busy machine needs more of it. */
const until = <T>(check: () => T): Promise<T> => vi.waitFor(check, { timeout: 10_000, interval: 5 });

let stop = new AbortController();
afterEach(() => {
  stop.abort();
  stop = new AbortController();
});

function manager(api: ScriptedApi, clock = systemClock): Authority {
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
  const authority = new Authority({ client, namespace: 'gc', clock, logger: silentLogger });
  void authority.run(stop.signal);
  return authority;
}

async function known(authority: Authority): Promise<Issuer> {
  return await until(() => authority.current ?? expect.fail('it is not known yet'));
}

describe('the certificate authority of an installation', () => {
  it('is the same for all managers, whichever starts first', async () => {
    const api = new ScriptedApi();
    const pairs = await Promise.all(Array.from({ length: 4 }, () => known(manager(api))));
    expect(new Set(pairs.map(({ cert }) => cert)).size).toBe(1);
    expect(api.objects.get(SECRET)).toMatchObject({ type: 'kubernetes.io/tls' });
  });

  it('is published without its key for clients that may not read Secrets', async () => {
    const api = new ScriptedApi();
    const { cert } = await known(manager(api));
    expect(api.objects.get(CONFIG_MAP)).toMatchObject({ data: { 'ca.crt': `${cert.trimEnd()}\n` } });
    expect(JSON.stringify(api.objects.get(CONFIG_MAP))).not.toContain('PRIVATE');
  });

  it('is valid for decades and signs server certificates only', async () => {
    const { cert, key } = await known(manager(new ScriptedApi()));
    expect(timeLeft(cert, Date.now()) / DAY).toBeGreaterThan(19 * 365);
    expect(new X509Certificate(cert).ca).toBe(true);
    const names = ['bmc.example', '192.0.2.7'];
    const server = await makeServerCertificate({ cert, key }, { names, lifetime: DAY, now: Date.now() });
    expect(isIssuedFor(server.cert, cert, names)).toBe(true);
    expect(isIssuedFor(server.cert, cert, ['other.example'])).toBe(false);
    expect(isIssuedFor('nonsense', cert, [])).toBe(false);
    expect(new X509Certificate(server.cert).ca).toBe(false);
  });

  it.each([
    ['P-256', true],
    ['P-384', false],
  ])('can have a key of the curve %s: %s', (namedCurve, isSuitable) => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(canIssue({ cert: '', key })).toBe(isSuitable);
  });

  it('reports a replaced authority, and creates one if the Secret is not usable', async () => {
    const api = new ScriptedApi();
    const authority = manager(api);
    const first = await known(authority);
    const told = vi.fn<() => void>();
    authority.subscribe(told);
    const secret = api.objects.get(SECRET) as { metadata: object };
    api.put(SECRET, { ...secret, data: { 'tls.crt': '', 'tls.key': 'bm9uc2Vuc2U=' } } as never);
    await until(() => {
      expect(authority.current?.cert).not.toBe(first.cert);
    });
    expect(told).toHaveBeenCalled();
    expect(api.objects.get(CONFIG_MAP)).toMatchObject({ data: { 'ca.crt': authority.current?.bundle } });
  });

  it('is created anew after its Secret is deleted', async () => {
    const api = new ScriptedApi();
    const authority = manager(api);
    const first = await known(authority);
    api.delete(SECRET);
    await until(() => {
      expect(authority.current?.cert).not.toBe(first.cert);
    });
  });

  it.each<[string, (api: ScriptedApi) => void]>([
    ['deleted', (api) => api.delete(CONFIG_MAP)],
    [
      'changed',
      (api) => {
        const published = api.objects.get(CONFIG_MAP) as { metadata: object };
        api.put(CONFIG_MAP, { ...published, data: { 'ca.crt': 'nonsense' } } as never);
      },
    ],
  ])('is published again at once after the ConfigMap is %s', async (_, spoil) => {
    const api = new ScriptedApi();
    const { bundle } = await known(manager(api));
    await until(() => {
      expect(api.watches).toBe(2);
    });
    spoil(api);
    await until(() => {
      expect(api.objects.get(CONFIG_MAP)).toMatchObject({ data: { 'ca.crt': bundle } });
    });
  });

  it('limits its writes if another client reverts each of them', async () => {
    const api = new ScriptedApi();
    const clock = new FakeClock();
    await known(manager(api, clock));
    let undone = 0;
    const undo = (): void => {
      const published = api.objects.get(CONFIG_MAP) as { metadata: object };
      api.put(CONFIG_MAP, { ...published, data: { 'ca.crt': `theirs ${undone}` } } as never);
    };
    api.intercept = ({ method, path }) => {
      if (method !== 'PATCH' || !path.startsWith(CONFIG_MAP) || undone === 100) return undefined;
      undone += 1;
      undo();
      return { status: 200, body: api.objects.get(CONFIG_MAP) };
    };
    undo();
    for (let turn = 0; turn < 1000; turn += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (turn % 50 === 49) await clock.advance(1000);
    }
    expect(undone).toBeGreaterThan(0);
    expect(undone).toBeLessThan(30);
  });

  it('is replaced in its last third: the next one is trusted first, signs a year later, and is the only one when no certificate of the first is valid', async () => {
    const api = new ScriptedApi();
    const START = Date.UTC(2026, 0, 1);
    /** The result of two newly started managers on a day. */
    const on = async (day: number) => {
      const clock = new FakeClock(START + day * DAY);
      const managers = [manager(api, clock), manager(api, clock)];
      const [one, other] = await Promise.all(managers.map(known));
      await until(() => {
        expect(managers[0]?.current).toEqual(managers[1]?.current);
        expect(api.objects.get(CONFIG_MAP)).toMatchObject({ data: { 'ca.crt': managers[0]?.current?.bundle } });
      });
      stop.abort();
      stop = new AbortController();
      expect([one, other]).not.toContain(undefined);
      return managers[0]?.current ?? expect.fail('it is not known');
    };
    const young = await on(0);
    const announced = await on(14 * 365);
    expect(announced.cert).toBe(young.cert);
    expect(announced.bundle.startsWith(young.bundle)).toBe(true);
    const next = announced.bundle.slice(young.bundle.length);
    expect(await on(14 * 365 + 364)).toEqual(announced);
    const succeeded = await on(15 * 365);
    expect(succeeded.bundle).toBe(next + young.bundle);
    expect(`${succeeded.cert.trimEnd()}\n`).toBe(next);
    expect(JSON.stringify(api.objects.get(SECRET))).not.toContain(Buffer.from(young.key).toString('base64'));
    expect(await on(16 * 365)).toEqual(succeeded);
    expect((await on(16 * 365 + 2)).bundle).toBe(next);
  });

  it('does not sign with the next authority before it is published', async () => {
    const api = new ScriptedApi();
    const { cert } = await known(manager(api, new FakeClock(Date.UTC(2026, 0, 1))));
    stop.abort();
    stop = new AbortController();
    api.intercept = ({ method, path }) =>
      method === 'PATCH' && path.startsWith(CONFIG_MAP) ? { status: 403, body: { message: 'no' } } : undefined;
    const mute = new FakeClock(Date.UTC(2040, 0, 1));
    manager(api, mute);
    await until(() => {
      expect(api.objects.get(SECRET)).toMatchObject({ data: { 'next.crt': expect.any(String) as string } });
    });
    stop.abort();
    stop = new AbortController();
    api.intercept = () => undefined;
    const later = await known(manager(api, new FakeClock(Date.UTC(2042, 0, 1))));
    expect(later.cert).toBe(cert);
    expect(api.objects.get(CONFIG_MAP)).toMatchObject({ data: { 'ca.crt': later.bundle } });
  });

  it('is created anew after it has expired', async () => {
    const api = new ScriptedApi();
    const { cert } = await known(manager(api, new FakeClock(Date.UTC(2000, 0, 1))));
    stop.abort();
    stop = new AbortController();
    const later = await known(manager(api, new FakeClock(Date.UTC(2026, 0, 1))));
    expect(later.cert).not.toBe(cert);
  });
});
