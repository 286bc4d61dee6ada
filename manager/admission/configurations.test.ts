import { describe, expect, it } from 'vitest';
import { KubeClient, systemClock } from '@groundcrew/controller-runtime';
import { ScriptedApi, silentLogger } from '@groundcrew/controller-runtime/testing';
import { configurationName, Configurations } from './configurations.ts';
import { mutatingWebhooks, validatingWebhooks, type WebhookConfiguration } from './webhooks.ts';

const settings = {
  clientConfig: (path: string) => ({ url: `https://127.0.0.1:9443${path}` }),
  caBundle: 'PEM',
  namespaces: ['a', 'b'],
  username: 'system:serviceaccount:gc:groundcrew',
  assignMACs: true,
};

describe('the webhooks', () => {
  it('match only what is evaluated', () => {
    const scopes = validatingWebhooks(settings).map(({ rules, failurePolicy }) => [
      rules.map(({ resources, operations }) => [...resources, ...operations]),
      failurePolicy,
    ]);
    expect(scopes).toEqual([
      [[['ippools', 'CREATE', 'UPDATE', 'DELETE']], 'Fail'],
      [[['virtualmachinenetworkconfigs', 'CREATE', 'UPDATE']], 'Ignore'],
      [[['virtualmachinebmcs', 'CREATE', 'UPDATE']], 'Ignore'],
    ]);
    const filled = mutatingWebhooks(settings);
    expect(new Set(filled.map(({ failurePolicy }) => failurePolicy))).toEqual(new Set(['Ignore']));
    expect(filled.map(({ name }) => name)).toContain('virtualmachines.mutation.groundcrew.io');
    expect(filled.find(({ name }) => name.startsWith('virtualmachinebmcs'))?.rules).toMatchObject([
      { operations: ['CREATE'] },
    ]);
    expect(mutatingWebhooks({ ...settings, assignMACs: false }).map(({ name }) => name)).not.toContain(
      'virtualmachines.mutation.groundcrew.io',
    );
  });

  it('match the namespaces of the installation and exclude the manager’s own writes', () => {
    for (const webhook of [...validatingWebhooks(settings), ...mutatingWebhooks(settings)]) {
      expect(webhook).toMatchObject({ timeoutSeconds: 5, sideEffects: 'None', matchPolicy: 'Equivalent' });
      expect(webhook.namespaceSelector).toEqual({
        matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a', 'b'] }],
      });
      expect(webhook.matchConditions[0]?.expression).toContain('"system:serviceaccount:gc:groundcrew"');
    }
    const [everywhere] = validatingWebhooks({ ...settings, namespaces: [], username: 'admin' });
    expect(everywhere).not.toHaveProperty('namespaceSelector');
    expect(everywhere?.matchConditions[0]?.expression).not.toContain('admin');
  });
});

describe('the webhook configurations', () => {
  it('are written with their owner once certificates exist, and again after they are changed', async () => {
    const api = new ScriptedApi();
    const root = '/apis/admissionregistration.k8s.io/v1';
    const paths = ['mutating', 'validating'].map(
      (kind) => `${root}/${kind}webhookconfigurations/${configurationName('gc')}`,
    );
    // The scripted API does not create objects by apply.
    for (const path of paths) api.put(path, { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'X' });
    api.put('/apis/rbac.authorization.k8s.io/v1/clusterroles/owner', { apiVersion: 'v1', kind: 'ClusterRole' });
    api.intercept = ({ path }) =>
      path.includes('selfsubjectreviews')
        ? { status: 201, body: { status: { userInfo: { username: 'system:serviceaccount:gc:crew' } } } }
        : undefined;
    const stop = new AbortController();
    const configurations = new Configurations({
      client: new KubeClient({ transport: api, fieldManager: 'groundcrew-manager' }),
      clock: systemClock,
      logger: silentLogger,
      namespace: 'gc',
      namespaces: [],
      assignMACs: true,
      owner: 'owner',
      clientConfig: settings.clientConfig,
      onKeyring: (listener) => {
        listener({ authority: { cert: 'PEM', key: '' }, server: { cert: '', key: '' } });
        return () => undefined;
      },
    });
    const ended = configurations.run(stop.signal);
    const written = (path: string) => api.objects.get(path) as WebhookConfiguration | undefined;
    for (const path of paths) {
      await expect.poll(() => written(path)?.webhooks.length).toBeGreaterThan(0);
      expect(written(path)?.metadata.ownerReferences).toMatchObject([{ kind: 'ClusterRole', name: 'owner' }]);
      expect(written(path)?.webhooks[0]?.matchConditions[0]?.expression).toContain('system:serviceaccount:gc:crew');
      expect(written(path)?.webhooks[0]?.clientConfig.caBundle).toBe(Buffer.from('PEM\n').toString('base64'));
    }
    const [path = ''] = paths;
    // A change by another client; the type requires a complete object.
    api.put(path, { apiVersion: 'x', kind: 'X', ...{ webhooks: [] } });
    await expect.poll(() => written(path)?.webhooks.length).toBeGreaterThan(0);
    stop.abort();
    await ended;
  });
});
