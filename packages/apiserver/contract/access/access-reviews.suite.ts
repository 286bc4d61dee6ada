import { describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';

const { http } = await cluster();

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';
const review = async (kind: string, spec: unknown, path = `${AUTHORIZATION}/${kind.toLowerCase()}s`) =>
  await http('POST', path, {
    body: {
      apiVersion: path.startsWith(AUTHENTICATION) ? 'authentication.k8s.io/v1' : 'authorization.k8s.io/v1',
      kind,
      spec,
    },
  });
const resourceAttributes = { verb: 'delete', group: 'apps', resource: 'deployments' };
const nonResourceAttributes = { verb: 'get', path: '/metrics' };
/** Whom a test asks for, so that every server says yes. */
const admin = { user: 'somebody', groups: ['system:masters'] };

describe('an administrator', () => {
  it('is told who it is', async () => {
    const answer = await http('POST', `${AUTHENTICATION}/selfsubjectreviews`, {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    });
    expect(answer).toMatchObject({
      status: 201,
      body: {
        kind: 'SelfSubjectReview',
        apiVersion: 'authentication.k8s.io/v1',
        status: {
          userInfo: {
            username: expect.any(String) as string,
            groups: expect.arrayContaining(['system:masters', 'system:authenticated']) as unknown,
          },
        },
      },
    });
  });

  it.each([{ resourceAttributes }, { nonResourceAttributes }])('may do %j', async (spec) => {
    const answer = await review('SelfSubjectAccessReview', spec);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      kind: 'SelfSubjectAccessReview',
      apiVersion: 'authorization.k8s.io/v1',
      spec,
      status: { allowed: true },
    });
  });

  it('can ask for another', async () => {
    const spec = { ...admin, resourceAttributes };
    const { status, body } = await review('SubjectAccessReview', spec);
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'SubjectAccessReview', spec, status: { allowed: true } });
  });

  it('leaves nothing behind', async () => {
    for (const plural of ['selfsubjectaccessreviews', 'subjectaccessreviews']) {
      expect((await http('GET', `${AUTHORIZATION}/${plural}`)).status).toBe(405);
    }
    expect((await http('GET', `${AUTHENTICATION}/tokenreviews`)).status).toBe(405);
  });
});

describe('a review is refused', () => {
  it('of another kind', async () => {
    const answer = await http('POST', `${AUTHORIZATION}/selfsubjectaccessreviews`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
    });
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  });
});
