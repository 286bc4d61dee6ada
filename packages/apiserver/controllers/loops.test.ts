import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeClock } from '@groundcrew/controller-runtime/testing';
import { at } from '../json.ts';
import {
  configMap,
  CONFIG_MAPS,
  DEFINITIONS,
  startTestServer,
  widget,
  WIDGETS,
  widgets,
  type TestServer,
} from '../testing/index.ts';

let server: TestServer;
let call: TestServer['call'];
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  server = await startTestServer({ clock });
  ({ call } = server);
});
afterEach(() => server.close());

const exists = async (path: string) => (await call('GET', path)).status === 200;
const uidOf = (body: unknown) => at(body, 'metadata', 'uid') as string;

describe('garbage collection', () => {
  const owned = (name: string, owner: string, uid: string, more = {}) =>
    configMap(name, {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, ...more }] });
  const family = async (more = {}) => {
    const uid = uidOf((await call('POST', CONFIG_MAPS, configMap('owner'))).body);
    const { body } = await call('POST', CONFIG_MAPS, owned('child', 'owner', uid, more));
    await call('POST', CONFIG_MAPS, owned('grandchild', 'child', uidOf(body), more));
    return uid;
  };

  it('follows owners down the generations', async () => {
    await family();
    await call('DELETE', `${CONFIG_MAPS}/owner`);
    await expect.poll(() => exists(`${CONFIG_MAPS}/child`)).toBe(false);
    await expect.poll(() => exists(`${CONFIG_MAPS}/grandchild`)).toBe(false);
  });

  it('takes what is born without its owner, unless the owner’s kind is unknown', async () => {
    await call('POST', CONFIG_MAPS, owned('orphan', 'nobody', 'no-such-uid'));
    await call(
      'POST',
      CONFIG_MAPS,
      configMap('foreign', {}, { ownerReferences: [{ apiVersion: 'x.io/v1', kind: 'X', name: 'x', uid: 'u' }] }),
    );
    // Collected after the other one was looked at.
    await call('POST', CONFIG_MAPS, owned('later', 'nobody', 'no-such-uid'));
    await expect.poll(() => exists(`${CONFIG_MAPS}/later`)).toBe(false);
    expect(await exists(`${CONFIG_MAPS}/orphan`)).toBe(false);
    expect(await exists(`${CONFIG_MAPS}/foreign`)).toBe(true);
  });

  it('in the foreground keeps the owner until its dependents are gone', async () => {
    await family({ blockOwnerDeletion: true });
    await call(
      'PATCH',
      `${CONFIG_MAPS}/grandchild`,
      { metadata: { finalizers: ['test.io/hold'] } },
      { contentType: 'application/merge-patch+json' },
    );
    const { body } = await call('DELETE', `${CONFIG_MAPS}/owner`, { propagationPolicy: 'Foreground' });
    expect(body).toMatchObject({ metadata: { finalizers: ['foregroundDeletion'] } });
    expect(await exists(`${CONFIG_MAPS}/owner`)).toBe(true);
    await call(
      'PATCH',
      `${CONFIG_MAPS}/grandchild`,
      { metadata: { finalizers: null } },
      { contentType: 'application/merge-patch+json' },
    );
    await expect.poll(() => exists(`${CONFIG_MAPS}/owner`)).toBe(false);
    expect(await exists(`${CONFIG_MAPS}/child`)).toBe(false);
  });

  it('can leave the dependents, which then have no owner', async () => {
    await family();
    await call('DELETE', `${CONFIG_MAPS}/owner`, { propagationPolicy: 'Orphan' });
    await expect.poll(() => exists(`${CONFIG_MAPS}/owner`)).toBe(false);
    expect(at((await call('GET', `${CONFIG_MAPS}/child`)).body, 'metadata', 'ownerReferences')).toBeUndefined();
  });
});

describe('a namespace', () => {
  it('has a default service account, the cluster’s CA and its name as a label', async () => {
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'fresh' } });
    expect((await call('GET', '/api/v1/namespaces/fresh')).body).toMatchObject({
      status: { phase: 'Active' },
      metadata: { labels: { 'kubernetes.io/metadata.name': 'fresh' } },
    });
    expect(await exists('/api/v1/namespaces/fresh/serviceaccounts/default')).toBe(true);
    expect((await call('GET', '/api/v1/namespaces/fresh/configmaps/kube-root-ca.crt')).body).toMatchObject({
      data: { 'ca.crt': server.ca },
    });
  });

  it('goes with all that is in it, and takes nothing new meanwhile', async () => {
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'doomed' } });
    const held = configMap('held', {}, { finalizers: ['test.io/hold'] });
    await call('POST', '/api/v1/namespaces/doomed/configmaps', held);
    expect((await call('DELETE', '/api/v1/namespaces/doomed')).body).toMatchObject({
      status: { phase: 'Terminating' },
    });
    expect(await call('POST', '/api/v1/namespaces/doomed/configmaps', configMap('late'))).toMatchObject({
      status: 403,
      body: {
        message:
          'configmaps "late" is forbidden: unable to create new content in namespace doomed because it is being terminated',
      },
    });
    expect(await exists('/api/v1/namespaces/doomed')).toBe(true);
    await call(
      'PATCH',
      '/api/v1/namespaces/doomed/configmaps/held',
      { metadata: { finalizers: null } },
      { contentType: 'application/merge-patch+json' },
    );
    await expect.poll(() => exists('/api/v1/namespaces/doomed')).toBe(false);
  });

  it('that the cluster needs is not deleted', async () => {
    expect((await call('DELETE', '/api/v1/namespaces/kube-system')).status).toBe(403);
  });
});

describe('a CustomResourceDefinition', () => {
  it('is established and served at once', async () => {
    await call('POST', DEFINITIONS, widgets({ 'x-kubernetes-preserve-unknown-fields': true }));
    const { body } = await call('GET', `${DEFINITIONS}/widgets.test.io`);
    expect(body).toMatchObject({
      status: {
        conditions: [
          { type: 'NamesAccepted', status: 'True' },
          { type: 'Established', status: 'True' },
        ],
        acceptedNames: { plural: 'widgets', listKind: 'WidgetList' },
      },
    });
    expect((await call('POST', WIDGETS, widget('w'))).status).toBe(201);
    expect((await call('GET', '/apis/test.io/v1')).body).toMatchObject({
      resources: [{ name: 'widgets', kind: 'Widget', shortNames: ['wd'] }, { name: 'widgets/status' }],
    });
  });

  it('takes its custom resources with it', async () => {
    await call('POST', DEFINITIONS, widgets({ 'x-kubernetes-preserve-unknown-fields': true }));
    await call('POST', WIDGETS, widget('w'));
    const watching = server.watch(`${WIDGETS}?watch=1`, 2);
    await call('GET', WIDGETS);
    await call('DELETE', `${DEFINITIONS}/widgets.test.io`);
    expect((await watching).map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
    await expect.poll(() => exists(`${DEFINITIONS}/widgets.test.io`)).toBe(false);
    expect((await call('GET', WIDGETS)).status).toBe(404);
  });
});

describe('an Event', () => {
  it('is forgotten after an hour', async () => {
    const events = '/api/v1/namespaces/default/events';
    await call('POST', events, {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
      lastTimestamp: '2026-01-01T00:00:00Z',
    });
    await clock.advance(3590_000);
    expect(await exists(`${events}/e`)).toBe(true);
    await clock.advance(120_000);
    expect(await exists(`${events}/e`)).toBe(false);
  });
});
