import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../test/harness/index.ts';
import { BAD_REQUEST, CONFLICT, INVALID, NOT_FOUND } from './refusal.ts';

const { http, namespace } = await cluster();

const TYPE = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1' };
let where = '';
let bob = { uid: '' };
const core = (path: string) => `/api/v1/namespaces/${where}/${path}`;
const make = async (plural: string, name: string, rest: object = {}) =>
  ((await http('POST', core(plural), { body: { metadata: { name }, ...rest } })).body as { metadata: { uid: string } })
    .metadata;
beforeAll(async () => {
  where = await namespace();
  bob = await make('serviceaccounts', 'bob');
});

interface TokenRequest {
  status: { token: string; expirationTimestamp: string };
}
const request = async (spec: object = {}, account = 'bob') =>
  await http('POST', core(`serviceaccounts/${account}/token`), { body: { ...TYPE, spec } });
const tokenFrom = async (spec: object = {}, account = 'bob') =>
  ((await request(spec, account)).body as TokenRequest).status.token;
const bound = (kind: string, name: string, more: object = {}) => ({
  boundObjectRef: { kind, apiVersion: 'v1', name, ...more },
});
const review = async (token: string, audiences?: string[]) => {
  const body = { ...TYPE, kind: 'TokenReview', spec: { token, audiences } };
  return await http('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body });
};
const statusOf = async (token: string, audiences?: string[]): Promise<unknown> =>
  ((await review(token, audiences)).body as { status: unknown }).status;
const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<string, number>;

describe('a requested token', () => {
  it('is for the service account and one hour', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { status, body } = await request();
    expect(status).toBe(201);
    const metadata = { name: 'bob', namespace: where };
    expect(body).toMatchObject({ ...TYPE, metadata, spec: { expirationSeconds: 3600, boundObjectRef: null } });
    const { token, expirationTimestamp } = (body as TokenRequest).status;
    expect(Date.parse(expirationTimestamp) / 1000).toBeGreaterThanOrEqual(before + 3600);
    expect(claimsOf(token)).toMatchObject({
      sub: `system:serviceaccount:${where}:bob`,
      'kubernetes.io': { namespace: where, serviceaccount: { name: 'bob', uid: bob.uid } },
    });
  });

  it('authenticates the service account', async () => {
    expect(await statusOf(await tokenFrom())).toMatchObject({
      authenticated: true,
      user: {
        username: `system:serviceaccount:${where}:bob`,
        uid: bob.uid,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${where}`, 'system:authenticated'],
      },
    });
  });

  it('has the requested duration and audiences', async () => {
    const token = await tokenFrom({ expirationSeconds: 600, audiences: ['vault.test'] });
    const { exp = 0, iat = 0 } = claimsOf(token);
    expect(exp - iat).toBe(600);
    expect(await statusOf(token)).not.toHaveProperty('authenticated');
    const accepted = { authenticated: true, audiences: ['vault.test'] };
    expect(await statusOf(token, ['vault.test', 'other.test'])).toMatchObject(accepted);
  });

  it('can be bound to a Secret', async () => {
    const { uid } = await make('secrets', 's');
    const secret = await tokenFrom(bound('Secret', 's'));
    expect(claimsOf(secret)).toMatchObject({ 'kubernetes.io': { secret: { name: 's', uid } } });
  });

  it.each([
    [{ expirationSeconds: 599 }, INVALID],
    [{ expirationSeconds: 2 ** 32 + 1 }, INVALID],
    [bound('Secret', 'none'), NOT_FOUND],
    [bound('Pod', 'none'), NOT_FOUND],
    [bound('ConfigMap', 'c'), BAD_REQUEST],
    [bound('Secret', 'other', { uid: 'x' }), CONFLICT],
  ])('is refused for %j', async (spec, expected) => {
    await make('secrets', 'other');
    expect(await request(spec)).toMatchObject(expected);
  });

  it('is refused for an account that does not exist, and cannot be read', async () => {
    expect(await request({}, 'absent')).toMatchObject(NOT_FOUND);
    expect((await http('GET', core('serviceaccounts/bob/token'))).status).toBe(405);
  });
});

it('a review of an invalid token has an error, and one of no token is refused', async () => {
  expect(await statusOf('nonsense')).toEqual({ user: {}, error: expect.any(String) as string });
  expect(await review('')).toMatchObject(BAD_REQUEST);
});
