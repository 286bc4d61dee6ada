import { beforeAll, describe, expect, it } from 'vitest';
import { cluster, eventually } from '../../../../test/harness/index.ts';

const { http, namespace } = await cluster();

let where = '';
let account = '';
let uid = '';
beforeAll(async () => {
  where = await namespace();
  account = `/api/v1/namespaces/${where}/serviceaccounts/bob`;
  const { body } = await http('POST', `/api/v1/namespaces/${where}/serviceaccounts`, {
    body: { metadata: { name: 'bob' } },
  });
  ({ uid } = (body as { metadata: { uid: string } }).metadata);
});

interface TokenRequest {
  status: { token: string; expirationTimestamp: string };
}
const request = async (spec: Record<string, unknown> = {}) =>
  await http('POST', `${account}/token`, {
    body: { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec },
  });
const tokenFrom = async (spec: Record<string, unknown> = {}) =>
  ((await request(spec)).body as TokenRequest).status.token;
/** What the server makes of a token. */
const review = async (token: string, audiences?: string[]) => {
  const body = { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: { token, audiences } };
  const answer = await http('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body });
  expect(answer.status).toBe(201);
  return (
    answer.body as {
      status: { authenticated?: boolean; error?: string; user: Record<string, unknown>; audiences?: string[] };
    }
  ).status;
};
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<string, unknown>;

describe('a token that is asked for', () => {
  it('is one for its service account, for an hour', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { status, body } = await request();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'bob', namespace: where },
      spec: { expirationSeconds: 3600, boundObjectRef: null },
      status: { token: expect.any(String) as string, expirationTimestamp: expect.any(String) as string },
    });
    const { token, expirationTimestamp } = (body as TokenRequest).status;
    expect(Date.parse(expirationTimestamp) / 1000).toBeGreaterThanOrEqual(before + 3600);
    expect(claimsOf(token)).toMatchObject({
      sub: `system:serviceaccount:${where}:bob`,
      'kubernetes.io': { namespace: where, serviceaccount: { name: 'bob', uid } },
    });
  });

  it('says who it is', async () => {
    const { authenticated, user } = await review(await tokenFrom());
    expect(authenticated).toBe(true);
    expect(user).toMatchObject({
      username: `system:serviceaccount:${where}:bob`,
      uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${where}`, 'system:authenticated'],
    });
  });

  it('ends when it is asked to', async () => {
    const { exp, iat } = claimsOf(await tokenFrom({ expirationSeconds: 600 })) as { exp: number; iat: number };
    expect(exp - iat).toBe(600);
  });

  it.each([
    [
      { expirationSeconds: 599 },
      'spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      { expirationSeconds: 2 ** 32 + 1 },
      'spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
  ])('is refused for %j', async (spec, problem) => {
    expect(await request(spec)).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', message: `TokenRequest.authentication.k8s.io "" is invalid: ${problem}` },
    });
  });

  it('is for the audiences that it names, and nobody else', async () => {
    const token = await tokenFrom({ audiences: ['vault.test'] });
    expect(claimsOf(token)).toMatchObject({ aud: ['vault.test'] });
    expect(await review(token)).not.toHaveProperty('authenticated');
    expect(await review(token, ['vault.test', 'other.test'])).toMatchObject({
      authenticated: true,
      audiences: ['vault.test'],
    });
  });

  it('may be bound to an object', async () => {
    const secrets = `/api/v1/namespaces/${where}/secrets`;
    const { body } = await http('POST', secrets, { body: { metadata: { name: 's' } } });
    const token = await tokenFrom({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 's' } });
    expect(claimsOf(token)).toMatchObject({
      'kubernetes.io': { secret: { name: 's', uid: (body as { metadata: { uid: string } }).metadata.uid } },
    });
  });

  it.each([
    [{ kind: 'Secret', apiVersion: 'v1', name: 'nobody' }, 404, 'secrets "nobody" not found'],
    [{ kind: 'Pod', apiVersion: 'v1', name: 'nobody' }, 404, 'pods "nobody" not found'],
    [{ kind: 'ConfigMap', apiVersion: 'v1', name: 'c' }, 400, expect.stringContaining('cannot bind token') as string],
  ])('cannot be bound to %j', async (boundObjectRef, status, message) => {
    expect(await request({ boundObjectRef })).toMatchObject({ status, body: { message } });
  });

  it('cannot be bound to an object of another uid', async () => {
    const secrets = `/api/v1/namespaces/${where}/secrets`;
    const made = await http('POST', secrets, { body: { metadata: { name: 'other' } } });
    const found = (made.body as { metadata: { uid: string } }).metadata.uid;
    const boundObjectRef = { kind: 'Secret', apiVersion: 'v1', name: 'other', uid: 'x' };
    expect(await request({ boundObjectRef })).toMatchObject({ status: 409 });
    expect(found).not.toBe('x');
  });

  it('can only be created', async () => {
    expect((await http('GET', `${account}/token`)).status).toBe(405);
  });

  it('is not to be had for an account that is not there', async () => {
    const path = `/api/v1/namespaces/${where}/serviceaccounts/nobody/token`;
    const body = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
    expect(await http('POST', path, { body })).toMatchObject({
      status: 404,
      body: { message: 'serviceaccounts "nobody" not found' },
    });
  });

  it('ends with its account, and with the object that it is bound to', async () => {
    const [accounts, secrets] = ['serviceaccounts', 'secrets'].map((plural) => `/api/v1/namespaces/${where}/${plural}`);
    await http('POST', accounts ?? '', { body: { metadata: { name: 'short' } } });
    await http('POST', secrets ?? '', { body: { metadata: { name: 'short' } } });
    const body = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec: {} };
    const { token } = ((await http('POST', `${accounts ?? ''}/short/token`, { body })).body as TokenRequest).status;
    const bound = await tokenFrom({ boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'short' } });
    for (const good of [token, bound]) expect(await review(good)).toMatchObject({ authenticated: true });
    for (const path of [accounts, secrets]) await http('DELETE', `${path ?? ''}/short`);
    // A server may remember for a while whom a token was of.
    await eventually(
      async () => {
        for (const bad of [token, bound]) expect(await review(bad)).not.toHaveProperty('authenticated');
      },
      { timeout: 30_000, interval: 500 },
    );
  });
});

describe('a token that is none', () => {
  it('is told to be so', async () => {
    expect(await review('nonsense')).toEqual({ user: {}, error: 'invalid bearer token' });
    const answer = await http('POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      body: { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec: {} },
    });
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'token is required for TokenReview in authentication' },
    });
  });
});
