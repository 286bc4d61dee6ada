import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { IP_LEASES, IP_POOLS, type IPPool } from '../../../api/index.ts';
import { NAMESPACES } from '@groundcrew/controller-runtime';
import { cluster, eventually } from '../../harness/index.ts';
import { warningsOf } from '../../harness/scenes/webhook-scene.ts';
import { RunningAdmission } from './running-admission.ts';
import { refusalIn, Scene } from './scene.ts';

const c = await cluster();

describe('an IPPool', () => {
  let scene: Scene;
  let admission: RunningAdmission;

  beforeAll(async () => {
    const probe = await Scene.in(c);
    admission = await RunningAdmission.start(c, { clusterRanges: ['10.43.0.0/16'] }, async () => {
      expect(await probe.pool('probe', { cidr: '10.9.0.0/31' }, '?dryRun=All')).toMatchObject({ status: 422 });
      expect(await probe.pool('probe', { serverIP: undefined }, '?dryRun=All')).toMatchObject({ status: 201 });
    });
  });
  afterAll(() => admission.close());
  beforeEach(async () => {
    scene = await Scene.in(c);
  });

  /** Resolves when the server has read a newly created pool. */
  const read = (name: string) =>
    eventually(() => {
      if (admission.caches.pools.get(scene.ref(name)) === undefined) throw new Error(`${name} is not in the cache`);
    });

  it('gets default addresses', async () => {
    const { status, body } = await scene.pool('lan', {
      cidr: '10.9.0.0/29',
      serverIP: '',
      pool: { start: '', exclude: ['10.9.0.2'] },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    expect((body as IPPool).spec.ipv4Config).toMatchObject({
      serverIP: '10.9.0.3',
      pool: { start: '10.9.0.1', end: '10.9.0.6', exclude: ['10.9.0.2'] },
    });
    const { body: bare } = await scene.pool('bare', {
      cidr: '10.8.0.0/30',
      router: undefined,
      serverIP: undefined,
      pool: undefined,
    });
    expect((bare as IPPool).spec.ipv4Config).toEqual({
      cidr: '10.8.0.0/30',
      serverIP: '10.8.0.1',
      pool: { start: '10.8.0.1', end: '10.8.0.2' },
    });
  });

  it('is refused with the invalid fields and values', async () => {
    const answer = await scene.pool('lan', {
      serverIP: '10.9.1.2',
      pool: { start: '10.9.0.0', end: '10.9.0.99' },
      ntp: ['pool..ntp.org'],
    });
    expect(refusalIn(answer)).toEqual({
      status: 422,
      message:
        'IPPool.network.harvesterhci.io "lan" is invalid: [' +
        'spec.ipv4Config.pool.start: Invalid value: "10.9.0.0": is the network address of 10.9.0.0/24, ' +
        'spec.ipv4Config.serverIP: Invalid value: "10.9.1.2": is not in 10.9.0.0/24, ' +
        'spec.ipv4Config.ntp[0]: Invalid value: "pool..ntp.org": is neither a host\'s IPv4 address nor a DNS name]',
    });
    expect(answer.body).toMatchObject({
      reason: 'Invalid',
      details: { causes: [{ reason: 'FieldValueInvalid', field: 'spec.ipv4Config.pool.start' }, {}, {}] },
    });
  });

  it('is accepted with a warning if it may be a mistake', async () => {
    const answer = await scene.pool('lan', {
      cidr: '10.43.7.0/24',
      serverIP: '10.43.7.2',
      router: '10.43.7.1',
      pool: { start: '10.43.7.1', end: '10.43.7.9' },
    });
    expect(answer.status).toBe(201);
    const warnings = warningsOf(answer);
    expect(warnings).toContain(
      'spec.ipv4Config.cidr: 10.43.7.0/24 overlaps 10.43.0.0/16, which the cluster uses itself',
    );
    expect(warnings.join()).toContain(`there is no NetworkAttachmentDefinition ${scene.namespace}/lan yet`);
  });

  it('is refused if it overlaps another pool of its network, and stays unchanged', async () => {
    await scene.pool('first');
    await read('first');
    const message =
      'IPPool.network.harvesterhci.io "second" is invalid: spec.ipv4Config.pool: Invalid value: ' +
      `"10.9.0.50-10.9.0.120": overlaps IPPool ${scene.namespace}/first (10.9.0.10-10.9.0.99) of the same network`;
    expect(refusalIn(await scene.pool('second', { pool: { start: '10.9.0.50', end: '10.9.0.120' } }))).toEqual({
      status: 422,
      message,
    });
    expect(await scene.pool('second', { pool: { start: '10.9.0.100', end: '10.9.0.120' } })).toMatchObject({
      status: 201,
    });
    await read('second');
    expect(refusalIn(await scene.patchPool('second', { pool: { start: '10.9.0.50' } })).message).toBe(message);
  });

  it('may take back an exclusion, but not make a leased address its router', async () => {
    await scene.pool('lan', { pool: { start: '10.9.0.10', end: '10.9.0.99', exclude: ['10.9.0.50', '10.9.0.51'] } });
    await scene.lease('10.9.0.10', 'web');
    await eventually(() => {
      if (admission.caches.leases.get(scene.ref('lan.10.9.0.10')) === undefined)
        throw new Error('the lease is unknown');
    });
    expect(await scene.patchPool('lan', { pool: { exclude: ['10.9.0.51'] } })).toMatchObject({ status: 200 });
    expect(await scene.patchPool('lan', { pool: { exclude: null } })).toMatchObject({ status: 200 });
    expect(refusalIn(await scene.patchPool('lan', { router: '10.9.0.10' })).message).toMatch(
      /spec\.ipv4Config\.router: Invalid value: "10\.9\.0\.10": is leased to VirtualMachine .+\/web/,
    );
  });

  it.each([
    [{ cidr: 'fd00:0123:4567:89ab:0000:0000:0000:0000/64' }, 'cidr', 'must be an IPv4 network, such as 10.0.0.0/24'],
    [{ cidr: '10.9.0.0/33' }, 'cidr', 'must be an IPv4 network, such as 10.0.0.0/24'],
    [{ router: 'fd00:0123:4567:89ab::0001' }, 'router', 'must be of type ipv4'],
    [{ reservations: [{ macAddress: '02:00', ipAddress: '10.9.0.5' }] }, 'reservations[0].macAddress', 'a MAC address'],
    [{ pool: { start: '10.9.0.10', end: '10.9.0.99', exclude: ['x'] } }, 'pool.exclude[0]', 'must be an IPv4 address'],
  ])('is refused in words: %j', async (config, field, words) => {
    const { status, message } = refusalIn(await scene.pool('lan', config));
    expect(status).toBe(422);
    expect(message).toContain(`spec.ipv4Config.${field}: Invalid value`);
    expect(message).toContain(words);
    expect(message).not.toMatch(/should match|Too long|\[0-9/);
  });

  it('cannot be deleted while an address is leased', async () => {
    await scene.pool('lan');
    for (const [address, vm] of [
      ['10.9.0.10', 'web'],
      ['10.9.0.11', 'db'],
    ] as const)
      await scene.lease(address, vm);
    const path = scene.path('ippools', 'lan');
    expect(refusalIn(await c.http('DELETE', path))).toEqual({
      status: 403,
      message:
        `ippools.network.harvesterhci.io "lan" is forbidden: IPPool lan is in use by VirtualMachineNetworkConfig ` +
        `${scene.namespace}/web (10.9.0.10), VirtualMachineNetworkConfig ${scene.namespace}/db (10.9.0.11); delete these, or their virtual machines, first`,
    });
    await c.client.delete(IP_LEASES, scene.ref('lan.10.9.0.10'));
    const released = { metadata: { labels: { 'network.harvesterhci.io/released': 'true' } } };
    await c.client.patch(IP_LEASES, scene.ref('lan.10.9.0.11'), 'merge', released);
    expect(await c.http('DELETE', path)).toMatchObject({ status: 200 });
  });

  it('cannot be deleted while it is in use, with any name of the pool and of its network', async () => {
    await scene.pool('prod');
    await scene.lease('10.9.0.10', 'web', { 'network.harvesterhci.io/ippool': 'prod' });
    const refusal = refusalIn(await c.http('DELETE', scene.path('ippools', 'prod')));
    expect(refusal.status).toBe(403);
    expect(refusal.message).toContain('IPPool prod is in use by');
  });

  it('is deleted with its namespace, in use or not', async () => {
    await scene.pool('lan');
    await scene.lease('10.9.0.10', 'web');
    await c.client.patch(IP_POOLS, scene.ref('lan'), 'merge', { metadata: { finalizers: ['test.io/held'] } });
    await c.client.delete(NAMESPACES, { name: scene.namespace });
    expect(await c.http('DELETE', scene.path('ippools', 'lan'))).toMatchObject({ status: 200 });
    await c.client.patch(IP_POOLS, scene.ref('lan'), 'merge', { metadata: { finalizers: null } });
  });

  it('is not validated again when its status or metadata is written', async () => {
    await scene.pool('first');
    // Created while no webhook validates: at the second write the pools overlap.
    await read('first');
    const status = { phase: 'Ready', ipv4: { used: 0 } };
    const answer = await c.http('PATCH', `${scene.path('ippools', 'first')}/status`, {
      body: { status },
      contentType: 'application/merge-patch+json',
    });
    expect(answer).toMatchObject({ status: 200, body: { status } });
  });
});
