import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configurationName } from '../../../manager/admission/index.ts';
import { cluster, eventually, type RunningManager } from '../../harness/index.ts';
import { freePorts } from '../../harness/free-port.ts';
import { removeConfigurations } from './running-admission.ts';
import { refusalIn, Scene } from './scene.ts';

const c = await cluster();
const ROLE = '/apis/rbac.authorization.k8s.io/v1/clusterroles/groundcrew-webhook';

interface Configuration {
  metadata: { ownerReferences?: { kind: string; name: string; uid: string }[] };
  webhooks: { name: string; matchConditions: { expression: string }[] }[];
}

describe('the admission server of a manager with the permissions of the chart', () => {
  let manager: RunningManager;
  let scene: Scene;
  let owner: string;

  beforeAll(async () => {
    const metadata = { name: 'groundcrew-webhook' };
    const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata };
    const { body } = await c.http('PATCH', `${ROLE}?fieldManager=test`, {
      body: role,
      contentType: 'application/apply-patch+yaml',
    });
    owner = (body as { metadata: { uid: string } }).metadata.uid;
    scene = await Scene.in(c);
    const [port = 0] = await freePorts(1);
    manager = await c.manager({
      leaderElect: true,
      args: [`--admission-address=127.0.0.1:${port}`, '--admission-owner=groundcrew-webhook'],
    });
  });
  afterAll(async () => {
    await manager.stop();
    await removeConfigurations(c.client, configurationName(manager.namespace));
  });

  const configuration = async (kind: string) => {
    const name = configurationName(manager.namespace);
    const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations/${name}`;
    const { status, body } = await c.http('GET', path);
    expect(status).toBe(200);
    // The API server validated it.
    return body as Configuration;
  };

  it('validates writes', async () => {
    await eventually(async () => {
      expect(refusalIn(await scene.pool('lan', { cidr: '10.9.0.0/31' }, '?dryRun=All'))).toMatchObject({
        status: 422,
        message: expect.stringContaining('is too small') as string,
      });
    });
  });

  it.each(['mutating', 'validating'])('has %s configurations that are deleted with the chart', async (kind) => {
    await eventually(async () => {
      expect((await configuration(kind)).metadata.ownerReferences).toMatchObject([
        { kind: 'ClusterRole', name: 'groundcrew-webhook', uid: owner },
      ]);
    });
  });

  it('is not called for the manager’s own writes', async () => {
    const { webhooks } = await configuration('validating');
    for (const { matchConditions } of webhooks)
      expect(matchConditions[0]?.expression).toContain(`system:serviceaccount:${manager.namespace}:`);
  });

  it('permits the use of a pool and the deletion of its namespace', async () => {
    expect(await scene.pool('lan')).toMatchObject({ status: 201 });
    await eventually(async () => {
      const { body } = await c.http('GET', scene.path('ippools', 'lan'));
      // The API server validated it.
      const { status } = body as { status?: { conditions?: unknown[] } };
      expect(status?.conditions).not.toHaveLength(0);
      expect(status?.conditions).toBeDefined();
    });
    expect(await c.http('DELETE', scene.path('ippools', 'lan'))).toMatchObject({ status: 200 });
  });
});
