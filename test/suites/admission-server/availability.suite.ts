import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IP_POOLS, VIRTUAL_MACHINE_BMCS, VIRTUAL_MACHINES } from '../../../api/index.ts';
import { NAMESPACES, SECRETS } from '@groundcrew/controller-runtime';
import { CERTIFICATES_SECRET } from '../../../manager/admission/index.ts';
import { cluster, eventually } from '../../harness/index.ts';
import { configurationPaths, removeConfigurations, RunningAdmission } from './running-admission.ts';
import { refusalIn, Scene } from './scene.ts';

const c = await cluster();

describe('the admission server', () => {
  let scene: Scene;
  let home: string;
  let running: RunningAdmission[];

  beforeEach(async () => {
    scene = await Scene.in(c);
    home = await c.namespace();
    running = [];
  });
  afterEach(async () => {
    for (const each of running) await each.close();
  });

  const evaluates = async () => {
    expect(refusalIn(await scene.pool('probe', { cidr: '10.9.0.0/31' }, '?dryRun=All'))).toMatchObject({
      status: 422,
      message: expect.stringContaining('is too small') as string,
    });
  };
  const start = async (leads = true, more = {}) => {
    const one = await RunningAdmission.start(c, { namespace: home, leads, ...more }, leads ? evaluates : undefined);
    running.push(one);
    return one;
  };
  const secret = () => c.client.get(SECRETS, { namespace: home, name: CERTIFICATES_SECRET });
  const bundles = async (name: string) => {
    const path = `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${name}`;
    const { webhooks } = (await c.http('GET', path)).body as { webhooks: { clientConfig: { caBundle: string } }[] };
    return webhooks.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle, 'base64').toString()).join('');
  };

  it('uses one set of certificates in all replicas', async () => {
    const [a, b] = await Promise.all([start(), start(false)]);
    const { data } = await secret();
    expect(await bundles(a.configuration)).toContain(Buffer.from(data?.['ca.crt'] ?? '', 'base64').toString());
    await b.stop();
    await evaluates();
    expect((await secret()).data).toEqual(data);
  });

  it('uses a new certificate in the Secret without a restart, and API servers trust it', async () => {
    const first = await start();
    const other = await c.namespace();
    const donor = await RunningAdmission.start(c, { namespace: other, leads: false });
    await donor.stop();
    const { data = {} } = await c.client.get(SECRETS, { namespace: other, name: CERTIFICATES_SECRET });
    await c.client.patch(SECRETS, { namespace: home, name: CERTIFICATES_SECRET }, 'merge', { data });
    const authority = Buffer.from(data['ca.crt'] ?? '', 'base64').toString();
    await eventually(async () => {
      expect(await bundles(first.configuration)).toContain(authority);
    });
    await eventually(evaluates);
  });

  it('creates a deleted Secret again with the same content', async () => {
    await start();
    const { data, metadata } = await secret();
    await c.client.delete(SECRETS, { namespace: home, name: CERTIFICATES_SECRET });
    await eventually(async () => {
      const made = await secret();
      expect(made.metadata.uid).not.toBe(metadata.uid);
      expect(made.data).toEqual(data);
    });
    await evaluates();
  });

  it('creates its configurations again if they are deleted', async () => {
    const { configuration } = await start();
    await removeConfigurations(c.client, configuration);
    await eventually(async () => {
      for (const path of configurationPaths(configuration)) await c.client.request({ method: 'GET', path });
    });
    await eventually(evaluates);
  });

  it('validates only objects in its namespaces', async () => {
    const other = await Scene.in(c);
    await start(true, { namespaces: [scene.namespace] });
    expect(await other.pool('lan', { cidr: '10.9.0.0/31' }, '?dryRun=All')).toMatchObject({ status: 201 });
  });

  it('while down, does not block a repeated delete of an object that is being deleted', async () => {
    const one = await start();
    await scene.pool('lan');
    await c.client.patch(IP_POOLS, scene.ref('lan'), 'merge', { metadata: { finalizers: ['test.io/held'] } });
    const path = scene.path('ippools', 'lan');
    expect(await c.http('DELETE', path)).toMatchObject({ status: 200 });
    await one.stop();
    expect(await c.http('DELETE', path)).toMatchObject({ status: 200 });
    await c.client.patch(IP_POOLS, scene.ref('lan'), 'merge', { metadata: { finalizers: null } });
    expect(await c.http('GET', path)).toMatchObject({ status: 404 });
  });

  it('while down, does not block the deletion of a namespace and its content', async () => {
    const one = await start();
    await scene.pool('lan');
    await scene.config('web', { networkName: 'lan', macAddress: '02:00:00:00:00:99' });
    await scene.lease('10.9.0.10', 'web');
    await one.stop();
    expect(await c.http('DELETE', scene.path('ippools', 'lan'))).toMatchObject({ status: 500 });
    await c.client.delete(NAMESPACES, { name: scene.namespace });
    const isGone = async () => {
      expect(await c.client.find(NAMESPACES, { name: scene.namespace })).toBeUndefined();
    };
    await eventually(isGone, { timeout: 30_000 });
  });

  it('while down, blocks writes of pools, but not those of other kinds, nor labels and statuses', async () => {
    await c.standIns({ parts: ['kubevirt'] });
    const one = await start();
    await scene.pool('lan');
    await one.stop();
    expect(await scene.pool('other', {}, '?dryRun=All')).toMatchObject({ status: 500 });
    expect(await scene.config('web', { networkName: 'lan', macAddress: '02:00:00:00:00:99' })).toMatchObject({
      status: 201,
    });
    await c.client.create(VIRTUAL_MACHINE_BMCS, {
      apiVersion: 'bmc.kubevirt.io/v1beta1',
      kind: 'VirtualMachineBMC',
      metadata: scene.ref('web'),
      spec: { virtualMachineRef: { name: 'web' } },
    });
    const status = { phase: 'Ready' };
    const labels = { team: 'a' };
    await c.client.patch(IP_POOLS, scene.ref('lan'), 'merge', { metadata: { labels } });
    await c.client.patch(IP_POOLS, scene.ref('lan'), 'merge', { status }, { subresource: 'status' });
    const template = { spec: { domain: { devices: {}, memory: { guest: '1Gi' } } } };
    await c.client.create(VIRTUAL_MACHINES, {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: scene.ref('web'),
      spec: { runStrategy: 'Halted', template },
    });
    await c.client.delete(VIRTUAL_MACHINES, scene.ref('web'));
  });
});
