import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { BMC_FINALIZER } from '../../../api/index.ts';
import { ClusterIdentity, macFor } from '../../virtualmachine/index.ts';
import { aBmc } from '../../virtualmachinebmc/testing/builders.ts';
import type { AdmissionRequest } from '../review.ts';
import { aConfig, aLease, aPool } from '../testing/builders.ts';
import { scriptedCaches, type ScriptedCaches } from '../testing/scripted-caches.ts';
import { mutate } from './mutate.ts';
import { validate } from './validate.ts';

const NETWORK = '/apis/network.harvesterhci.io/v1alpha1/namespaces/default';
const A = '02:00:00:00:00:0a';

describe('the admission server’s evaluation', () => {
  let api: ScriptedApi;
  let scripted: ScriptedCaches;

  beforeEach(async () => {
    api = new ScriptedApi();
    api.put('/api/v1/namespaces/kube-system', { apiVersion: 'v1', kind: 'Namespace' });
    api.put('/api/v1/namespaces/default', { apiVersion: 'v1', kind: 'Namespace' });
    api.put(`${NETWORK}/ippools/lan`, aPool());
    api.put(`${NETWORK}/ipleases/lan.10.9.0.10`, aLease('10.9.0.10', { 'network.harvesterhci.io/ippool': 'lan' }));
    api.put(`${NETWORK}/virtualmachinenetworkconfigs/web`, aConfig('web', { networkName: 'lan', macAddress: A }));
    api.put('/apis/bmc.kubevirt.io/v1beta1/namespaces/vms/virtualmachinebmcs/first', aBmc({ name: 'first' }));
    scripted = await scriptedCaches(api, { clusterRanges: ['10.0.0.0/8', 'nonsense'] });
  });
  afterEach(() => scripted.close());

  const request = (resource: string, object: KubeObject | undefined, change: Partial<AdmissionRequest> = {}) => ({
    uid: 'u-1',
    resource,
    subResource: undefined,
    operation: 'CREATE' as const,
    namespace: 'default',
    name: object?.metadata.name ?? '',
    object,
    oldObject: undefined,
    ...change,
  });
  const evaluated = (...args: Parameters<typeof request>) => validate(request(...args), scripted.options);
  const filled = (...args: Parameters<typeof request>) =>
    mutate(request(...args), { ...scripted.options, identity: new ClusterIdentity(scripted.options.client) });

  it('evaluates an object together with the other objects in the cluster', async () => {
    const second = aPool({}, { name: 'second' });
    const { refusal } = await evaluated('ippools', second);
    expect(refusal?.message).toContain('overlaps IPPool default/lan');
    const { warnings } = await evaluated(
      'ippools',
      aPool(
        {
          cidr: '10.8.0.0/24',
          pool: { start: '10.8.0.9', end: '10.8.0.10' },
          serverIP: '10.8.0.2',
          router: '10.8.0.1',
        },
        { name: 'second' },
      ),
    );
    expect(warnings).toEqual([
      'spec.ipv4Config.cidr: 10.8.0.0/24 overlaps 10.0.0.0/8, which the cluster uses itself',
      'spec.networkName: there is no NetworkAttachmentDefinition default/lan yet; the pool waits for it',
    ]);
    const config = aConfig('db', { networkName: 'lan', macAddress: A, ipAddress: '10.9.0.10' });
    expect((await evaluated('virtualmachinenetworkconfigs', config)).refusal?.message).toContain(
      'is taken by VirtualMachine default/web',
    );
    expect((await evaluated('virtualmachinebmcs', aBmc({ name: 'second' }))).warnings).toEqual([
      expect.stringContaining('has VirtualMachineBMC first'),
    ]);
  });

  it('compares pools on net-attach-defs of one namespace with the same bridge and VLAN', async () => {
    const spec = { config: '{"type":"bridge","bridge":"br0","vlan":7}' };
    const networks = ['default/lan', 'default/same', 'far/same'];
    for (const [namespace = '', name = ''] of networks.map((network) => network.split('/'))) {
      const path = `/apis/k8s.cni.cncf.io/v1/namespaces/${namespace}/network-attachment-definitions/${name}`;
      api.put(path, { apiVersion: 'k8s.cni.cncf.io/v1', kind: 'NetworkAttachmentDefinition', ...{ spec } });
    }
    await expect.poll(() => scripted.options.caches.networks.list().length).toBe(networks.length);
    const warningsIn = async (namespace: string) => {
      const pool = aPool({}, { name: 'second', namespace });
      const answer = await evaluated('ippools', { ...pool, spec: { ...pool.spec, networkName: 'same' } } as KubeObject);
      expect(answer.refusal).toBeUndefined();
      return answer.warnings.filter((warning) => warning.includes('same bridge'));
    };
    expect(await warningsIn('default')).toEqual([expect.stringContaining('overlaps IPPool default/lan')]);
    expect(await warningsIn('far')).toEqual([]);
  });

  it('warns about a pool of Service addresses, and works without the Service ranges', async () => {
    const range = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'kubernetes' } };
    api.put('/apis/networking.k8s.io/v1/servicecidrs/kubernetes', {
      ...range,
      ...{ spec: { cidrs: ['172.20.0.0/16'] } },
    });
    const change = {
      cidr: '172.20.7.0/24',
      serverIP: '172.20.7.2',
      pool: { start: '172.20.7.10', end: '172.20.7.20' },
    };
    const pool = aPool({ ...change, router: '172.20.7.1' }, { name: 'services' });
    const told = 'spec.ipv4Config.cidr: 172.20.7.0/24 overlaps 172.20.0.0/16, which the cluster uses itself';
    expect((await evaluated('ippools', pool)).warnings).toContain(told);
    for (const status of [403, 404, 500]) {
      api.intercept = ({ path }) => (path.includes('servicecidrs') ? { status, body: {} } : undefined);
      const answer = await evaluated('ippools', pool);
      expect(answer.refusal).toBeUndefined();
      expect(answer.warnings).not.toContain(told);
    }
  });

  it('rejects an update only for what it changes', async () => {
    const wrong = aPool({ ntp: ['a..b'] });
    const old = { oldObject: wrong, operation: 'UPDATE' as const };
    expect((await evaluated('ippools', aPool({ ntp: ['a..b'], mtu: 1400 }), old)).refusal).toBeUndefined();
    expect((await evaluated('ippools', aPool({ ntp: ['a..b', 'c..d'] }), old)).refusal?.message).toMatch(
      /invalid: spec\.ipv4Config\.ntp\[1\]: Invalid value: "c\.\.d"/,
    );
  });

  it.each<[string, Partial<AdmissionRequest>]>([
    ['a status', { subResource: 'status' }],
    ['what is going', { object: aPool({ cidr: '10.9.0.0/31' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }) }],
    ['another kind', { resource: 'things' }],
    [
      'the deletion of another kind',
      { resource: 'virtualmachinenetworkconfigs', operation: 'DELETE', object: undefined },
    ],
    [
      'the deletion of what is going',
      { operation: 'DELETE', object: undefined, oldObject: aPool({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }) },
    ],
  ])('does not block %s', async (_what, change) => {
    expect(await evaluated('ippools', aPool({ cidr: '10.9.0.0/31' }), change)).toEqual({ warnings: [] });
  });

  it('in a terminating namespace blocks only the creation of objects', async () => {
    const path = '/api/v1/namespaces/default';
    const deletion = { operation: 'DELETE' as const, oldObject: aPool(), name: 'lan' };
    const update = { operation: 'UPDATE' as const, oldObject: aPool() };
    expect((await evaluated('ippools', undefined, deletion)).refusal).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect((await evaluated('ippools', aPool({ mtu: 1400, dns: ['0.0.0.0'] }), update)).refusal).toMatchObject({
      code: 422,
    });
    api.put(path, { apiVersion: 'v1', kind: 'Namespace', metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    expect(await evaluated('ippools', undefined, deletion)).toEqual({ warnings: [] });
    expect(await evaluated('ippools', aPool({ mtu: 1400, dns: ['0.0.0.0'] }), update)).toEqual({ warnings: [] });
  });

  it('sets defaults for the kinds that it knows', async () => {
    const vm = {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'web' },
      spec: {
        template: {
          spec: {
            domain: { devices: { interfaces: [{ name: 'x', bridge: {} }] } },
            networks: [{ name: 'x', multus: { networkName: 'lan' } }],
          },
        },
      },
    };
    const clusterUid = api.objects.get('/api/v1/namespaces/kube-system')?.metadata.uid ?? '';
    const value = macFor({ clusterUid, namespace: 'default', vmName: 'web', interfaceName: 'x' });
    const path = '/spec/template/spec/domain/devices/interfaces/0/macAddress';
    expect((await filled('virtualmachines', vm)).patch).toEqual([{ op: 'add', path, value }]);
    // The API server generates the name later.
    expect((await filled('virtualmachines', vm, { name: '' })).patch).toEqual([]);
    expect((await filled('virtualmachines', vm, { namespace: 'other' })).patch).toEqual([]);
    expect((await filled('virtualmachines', vm, { operation: 'UPDATE' })).patch).toEqual([]);
    const config = aConfig('web', { networkName: 'lan', macAddress: A.toUpperCase() });
    expect((await filled('virtualmachinenetworkconfigs', config)).patch).toHaveLength(1);
    expect((await filled('ippools', aPool({ serverIP: '' }))).patch).toHaveLength(1);
    expect((await filled('ippools', aPool({ serverIP: '' }), { operation: 'UPDATE' })).patch).toEqual([]);
    const reservations = [{ macAddress: A.toUpperCase(), ipAddress: '10.9.0.5' }];
    const path0 = '/spec/ipv4Config/reservations/0/macAddress';
    expect((await filled('ippools', aPool({ reservations }), { operation: 'UPDATE' })).patch).toEqual([
      { op: 'replace', path: path0, value: A },
    ]);
    expect((await filled('things', aPool())).patch).toEqual([]);
    const finalizer = { op: 'add', path: '/metadata/finalizers', value: [BMC_FINALIZER] };
    expect((await filled('virtualmachinebmcs', aBmc())).patch).toEqual([finalizer]);
    expect((await filled('virtualmachinebmcs', aBmc(), { operation: 'UPDATE' })).patch).toEqual([]);
    expect((await filled('virtualmachinebmcs', aBmc(), { namespace: 'unheld' })).patch).toEqual([]);
    const withFinalizers = (...finalizers: string[]) => ({ ...aBmc(), metadata: { ...aBmc().metadata, finalizers } });
    expect((await filled('virtualmachinebmcs', withFinalizers('example.com/other'))).patch).toEqual([
      { op: 'add', path: '/metadata/finalizers/-', value: BMC_FINALIZER },
    ]);
    expect((await filled('virtualmachinebmcs', withFinalizers(BMC_FINALIZER))).patch).toEqual([]);
  });

  it('passes on what it cannot read', async () => {
    const shapeless = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'x' } };
    expect(await filled('virtualmachines', shapeless)).toEqual({ warnings: [] });
    expect(await filled('ippools', undefined)).toEqual({ warnings: [] });
  });

  it('assigns no MAC addresses if assignment is off or the cluster’s identity cannot be read', async () => {
    const vm = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', metadata: { name: 'web' } };
    scripted.options = { ...scripted.options, assignMACs: false };
    expect(await filled('virtualmachines', vm)).toEqual({ warnings: [], patch: [] });
    api.intercept = () => ({ status: 403, body: {} });
    const identity = new ClusterIdentity(scripted.options.client);
    expect(await identity.uid()).toBeUndefined();
  });
});
