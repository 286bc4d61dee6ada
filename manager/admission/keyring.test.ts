import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { bundleOf, type KeptSecret } from '../authority/index.ts';
import { keyringIn, secretDataOf, maintained, keptCertificates, type Keyring } from './keyring.ts';
import { KubeClient } from '@groundcrew/controller-runtime';
import { FakeClock, ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';

const DAY = 86_400_000;
const START = Date.parse('2026-01-01T00:00:00Z');
const NAMES = ['groundcrew-webhook.gc.svc', '127.0.0.1'];
const make = async (now = START) => await maintained(undefined, NAMES, now);

/** The certificates of a bundle that verify the server's certificate. */
function trusts(bundle: string, { server }: Keyring): boolean {
  const certificate = new X509Certificate(server.cert);
  const authorities = bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return authorities.some((pem) => certificate.verify(new X509Certificate(pem).publicKey));
}

describe('the keyring of the admission servers', () => {
  it('names the server and is signed by a trusted authority', async () => {
    const keyring = await make();
    const certificate = new X509Certificate(keyring.server.cert);
    expect(certificate.checkHost('groundcrew-webhook.gc.svc')).toBe('groundcrew-webhook.gc.svc');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(trusts(bundleOf(keyring), keyring)).toBe(true);
  });

  it('does not change while no step is due', async () => {
    const keyring = await make();
    expect(await maintained(keyring, NAMES, START + 200 * DAY)).toBe(keyring);
  });

  it("renews the server's certificate with the same authority before it expires", async () => {
    const keyring = await make();
    const later = await maintained(keyring, NAMES, START + 250 * DAY);
    expect(later.server).not.toEqual(keyring.server);
    expect(later.authority).toEqual(keyring.authority);
    expect(trusts(bundleOf(keyring), later)).toBe(true);
  });

  it("reissues the server's certificate if the clock was ahead when it was issued", async () => {
    const ahead = await maintained(await make(), NAMES, START + 250 * DAY);
    const right = await maintained(ahead, NAMES, START + 200 * DAY);
    expect(new X509Certificate(right.server.cert).validFromDate.getTime()).toBeLessThan(START + 200 * DAY);
    expect(await maintained(right, NAMES, START + 200 * DAY)).toBe(right);
  });

  it("reissues the server's certificate for other names, and if its key does not match", async () => {
    const keyring = await make();
    const renamed = await maintained(keyring, ['other.gc.svc'], START);
    expect(new X509Certificate(renamed.server.cert).checkHost('other.gc.svc')).toBe('other.gc.svc');
    const broken = { ...keyring, server: { ...keyring.server, key: keyring.authority.key } };
    expect((await maintained(broken, NAMES, START)).server).not.toEqual(broken.server);
  });

  it.each(['', 'nonsense'])('is created anew if the authority is %j', async (cert) => {
    const keyring = await make();
    const made = await maintained({ ...keyring, authority: { cert, key: cert } }, NAMES, START);
    expect(trusts(bundleOf(made), made)).toBe(true);
  });

  it.each(['', 'nonsense'])('ignores a next authority that is %j', async (cert) => {
    const keyring = await make();
    expect(await maintained({ ...keyring, next: { pair: { cert, key: cert } } }, NAMES, START)).toEqual(keyring);
  });

  it('never shows a certificate that a bundle of three days before does not trust, over eleven years', async () => {
    let keyring = await make();
    let bundles = [bundleOf(keyring)];
    const authorities = new Set([keyring.authority.cert]);
    for (let day = 1; day <= 11 * 365; day += 3) {
      const now = START + day * DAY;
      const last = keyring;
      keyring = await maintained(keyring, NAMES, now);
      expect(new X509Certificate(keyring.server.cert).validToDate.getTime()).toBeGreaterThan(now + 60 * DAY);
      if (keyring === last) continue;
      authorities.add(keyring.authority.cert);
      expect(trusts(bundles[0] ?? '', keyring)).toBe(true);
      bundles = [bundleOf(keyring)];
    }
    expect(authorities.size).toBe(3);
    expect(bundles[0]?.match(/BEGIN CERTIFICATE/g)?.length).toBeLessThanOrEqual(3);
  });

  it('is unchanged after a round trip through a Secret', async () => {
    const next = { pair: (await make()).authority, announcedAt: START };
    const previous = { cert: (await make()).authority.cert, until: START + DAY };
    const keyring = { ...(await make()), next, previous };
    expect(keyringIn({ data: secretDataOf(keyring) })).toEqual(keyring);
    const { 'ca.key': _, ...incomplete } = secretDataOf(keyring);
    expect(keyringIn({ data: incomplete })).toBeUndefined();
  });
});

const replica = (api: ScriptedApi, clock: FakeClock) => {
  const client = new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' });
  return keptCertificates({ client, namespace: 'gc', names: ['webhook.gc.svc'], clock, logger: silentLogger });
};
const first = (certificates: KeptSecret<Keyring>) =>
  new Promise<Keyring>((resolve) => {
    certificates.subscribe(resolve);
  });

describe('the certificates of several replicas', () => {
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
});
