import { beforeAll, describe, expect, it } from 'vitest';
import { cluster } from '../../../../test/harness/index.ts';

const { http, namespace } = await cluster();

let where = '';
beforeAll(async () => {
  where = await namespace();
});
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
        metadata: { creationTimestamp: expect.any(String) as string },
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

  it('may do everything, by its rules', async () => {
    const { status, body } = await review('SelfSubjectRulesReview', { namespace: where });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      kind: 'SelfSubjectRulesReview',
      status: {
        incomplete: false,
        resourceRules: expect.arrayContaining([{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]) as unknown,
        nonResourceRules: expect.arrayContaining([{ verbs: ['*'], nonResourceURLs: ['*'] }]) as unknown,
      },
    });
  });

  it('can ask for another', async () => {
    const spec = { ...admin, resourceAttributes };
    const { status, body } = await review('SubjectAccessReview', spec);
    expect(status).toBe(201);
    expect(body).toMatchObject({ kind: 'SubjectAccessReview', spec, status: { allowed: true } });
  });

  it('can ask for another in one namespace', async () => {
    const spec = { ...admin, resourceAttributes: { ...resourceAttributes, namespace: where } };
    const path = `${AUTHORIZATION}/namespaces/${where}/localsubjectaccessreviews`;
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'LocalSubjectAccessReview',
      metadata: { namespace: where },
      spec,
    };
    expect(await http('POST', path, { body })).toMatchObject({
      status: 201,
      body: { kind: 'LocalSubjectAccessReview', spec, status: { allowed: true } },
    });
  });

  it('leaves nothing behind', async () => {
    for (const plural of ['selfsubjectaccessreviews', 'subjectaccessreviews', 'selfsubjectrulesreviews']) {
      expect((await http('GET', `${AUTHORIZATION}/${plural}`)).status).toBe(405);
    }
    expect((await http('GET', `${AUTHENTICATION}/tokenreviews`)).status).toBe(405);
  });
});

describe('a review is refused', () => {
  it('of no namespace, where it is about one', async () => {
    expect(await review('SelfSubjectRulesReview', {})).toMatchObject({
      status: 400,
      body: { reason: 'BadRequest', message: 'no namespace on request' },
    });
  });

  it('in another namespace than its path’s', async () => {
    const path = `${AUTHORIZATION}/namespaces/${where}/localsubjectaccessreviews`;
    const body = {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'LocalSubjectAccessReview',
      metadata: { namespace: 'default' },
      spec: admin,
    };
    expect(await http('POST', path, { body })).toMatchObject({
      status: 400,
      body: { message: 'the namespace of the provided object does not match the namespace sent on the request' },
    });
  });

  it('of another kind', async () => {
    const answer = await http('POST', `${AUTHORIZATION}/selfsubjectaccessreviews`, {
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } },
    });
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  });
});
