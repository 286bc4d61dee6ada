import { describe, expect, it } from 'vitest';
import { cluster } from '../../../test/harness/index.ts';
import { BAD_REQUEST } from './refusal.ts';

const { http } = await cluster();

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const review = async (kind: string, fields: object, path = `${AUTHORIZATION}/${kind.toLowerCase()}s`) =>
  await http('POST', path, { body: { apiVersion: path.split('/').slice(2, 4).join('/'), kind, ...fields } });
const resourceAttributes = { verb: 'delete', group: 'apps', resource: 'deployments' };
const nonResourceAttributes = { verb: 'get', path: '/metrics' };
/** A user that has all permissions on both servers. */
const admin = { user: 'alice', groups: ['system:masters'] };

describe('an administrator', () => {
  it('gets its name and groups', async () => {
    const answer = await review('SelfSubjectReview', {}, `${AUTHENTICATION}/selfsubjectreviews`);
    const groups = expect.arrayContaining(['system:masters', 'system:authenticated']) as unknown;
    expect(answer).toMatchObject({
      status: 201,
      body: { kind: 'SelfSubjectReview', status: { userInfo: { username: expect.any(String) as string, groups } } },
    });
  });

  it.each([
    ['SelfSubjectAccessReview', { resourceAttributes }],
    ['SelfSubjectAccessReview', { nonResourceAttributes }],
    ['SubjectAccessReview', { ...admin, resourceAttributes }],
  ])('is allowed everything: %s %j', async (kind, spec) => {
    expect(await review(kind, { spec })).toMatchObject({
      status: 201,
      body: { kind, spec, status: { allowed: true } },
    });
  });
});

it.each([
  `${AUTHORIZATION}/selfsubjectaccessreviews`,
  `${AUTHORIZATION}/subjectaccessreviews`,
  `${AUTHENTICATION}/tokenreviews`,
])('reviews cannot be listed: %s', async (path) => {
  expect((await http('GET', path)).status).toBe(405);
});

it('a review of another kind is refused', async () => {
  expect(await review('ConfigMap', {}, `${AUTHORIZATION}/selfsubjectaccessreviews`)).toMatchObject(BAD_REQUEST);
});
