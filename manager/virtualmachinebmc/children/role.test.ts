import { describe, expect, it } from 'vitest';
import { rightsOf } from '../../agent-workload/testing/rights-of.ts';
import { aBmc, type BmcFields } from '../testing/builders.ts';
import { childDrafts } from './children.ts';
import { role } from './role.ts';

const rulesFor = (resource: string, fields: BmcFields = {}) =>
  (role(aBmc(fields)).rules ?? []).filter(({ resources }) => resources?.includes(resource));

describe("the agent's Role", () => {
  it('grants these rights and no others', () => {
    const { authSecretRef: _, ...spec } = aBmc({
      redfish: { events: { tls: { caBundleConfigMapRef: { name: 'listener-ca' } } } },
    }).spec;
    expect(rightsOf(role({ ...aBmc(), spec }, { metrics: true }))).toEqual([
      'get,list,watch,patch kubevirt.io/virtualmachines web',
      'get,list,watch kubevirt.io/virtualmachineinstances web',
      'update subresources.kubevirt.io/virtualmachines/start web',
      'update subresources.kubevirt.io/virtualmachines/stop web',
      'update subresources.kubevirt.io/virtualmachines/restart web',
      'get subresources.kubevirt.io/virtualmachineinstances/console web',
      'get subresources.kubevirt.io/virtualmachineinstances/vnc web',
      'get subresources.kubevirt.io/virtualmachineinstances/vnc/screenshot web',
      'get subresources.kubevirt.io/virtualmachines/expand-spec web',
      'update subresources.kubevirt.io/virtualmachineinstances/reset web',
      'update subresources.kubevirt.io/virtualmachineinstances/softreboot web',
      'update subresources.kubevirt.io/virtualmachineinstances/pause web',
      'update subresources.kubevirt.io/virtualmachineinstances/unpause web',
      'get,list,watch,patch bmc.kubevirt.io/virtualmachinebmcs web-bmc',
      'get,patch bmc.kubevirt.io/virtualmachinebmcs/status web-bmc',
      'get,list,watch,patch secrets web-bmc-credentials',
      'get,list,watch secrets web-bmc-tls',
      'get,list,watch,create,patch secrets web-bmc-state',
      'get,list,watch,create,patch configmaps web-bmc-sel',
      'get,list,watch,create,patch,delete cdi.kubevirt.io/datavolumes web-bmc-cd,web-bmc-cd-2,web-bmc-usb,web-bmc-usb-2',
      'get,create,patch,delete secrets web-bmc-cd-login,web-bmc-usb-login',
      'get configmaps listener-ca',
      'create,patch events',
      'list metrics.k8s.io/pods',
    ]);
  });

  it('names the objects in every rule except that of events', () => {
    const unnamed = (role(aBmc()).rules ?? []).filter(({ resourceNames = [] }) => resourceNames.length === 0);
    expect(unnamed.flatMap(({ resources }) => resources)).toEqual(['events']);
  });

  it('grants no wildcard verbs', () => {
    const rules = role(aBmc()).rules ?? [];
    expect(rules.flatMap(({ verbs }) => verbs)).not.toContain('*');
    expect(rules.flatMap(({ resources = [] }) => resources)).not.toContain('*');
  });

  it('grants access to the virtual machine and its power operations, by name', () => {
    expect(rulesFor('virtualmachines')[0]).toMatchObject({
      resourceNames: ['web'],
      verbs: ['get', 'list', 'watch', 'patch'],
    });
    expect(rulesFor('virtualmachines/start')[0]).toMatchObject({ resourceNames: ['web'], verbs: ['update'] });
    for (const action of ['reset', 'softreboot', 'pause', 'unpause']) {
      const [rule] = rulesFor(`virtualmachineinstances/${action}`);
      expect(rule).toMatchObject({ resourceNames: ['web'], verbs: ['update'] });
    }
  });

  it("grants writes of the BMC's status, and of its spec for services that clients switch", () => {
    expect(rulesFor('virtualmachinebmcs')[0]).toMatchObject({
      resourceNames: ['web-bmc'],
      verbs: ['get', 'list', 'watch', 'patch'],
    });
    expect(rulesFor('virtualmachinebmcs/status')[0]).toMatchObject({
      resourceNames: ['web-bmc'],
      verbs: ['get', 'patch'],
    });
  });

  it('names the Secret of the spec, else the generated one', () => {
    expect(rulesFor('secrets')[0]).toMatchObject({ resourceNames: ['creds'], verbs: ['get', 'list', 'watch'] });
    const bmc = aBmc();
    delete bmc.spec.authSecretRef;
    expect(role(bmc).rules).toContainEqual({
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: ['web-bmc-credentials'],
      verbs: ['get', 'list', 'watch', 'patch'],
    });
  });

  it("grants reads of the BMC's certificate", () => {
    const verbs = ['get', 'list', 'watch'];
    expect(rulesFor('secrets')).toContainEqual(expect.objectContaining({ resourceNames: ['web-bmc-tls'], verbs }));
  });

  it("grants writes of the agent's state and event log, by name", () => {
    const verbs = ['get', 'list', 'watch', 'create', 'patch'];
    expect(rulesFor('secrets')).toContainEqual(expect.objectContaining({ resourceNames: ['web-bmc-state'], verbs }));
    expect(rulesFor('configmaps')).toMatchObject([{ resourceNames: ['web-bmc-sel'], verbs }]);
  });

  it('grants access to the media image, its credentials, and the CA certificates of image servers, by name', () => {
    const verbs = ['get', 'list', 'watch', 'create', 'patch', 'delete'];
    const volumes = ['web-bmc-cd', 'web-bmc-cd-2', 'web-bmc-usb', 'web-bmc-usb-2'];
    expect(rulesFor('datavolumes')).toMatchObject([{ resourceNames: volumes, verbs }]);
    const logins = rulesFor('secrets').filter(({ verbs: all }) => all.includes('delete'));
    expect(logins).toMatchObject([
      { resourceNames: ['web-bmc-cd-login', 'web-bmc-usb-login'], verbs: ['get', 'create', 'patch', 'delete'] },
    ]);
    const virtualMedia = { tls: { caBundleConfigMapRef: { name: 'image-ca' } } };
    expect(rulesFor('configmaps', { redfish: { virtualMedia } })).toContainEqual({
      apiGroups: [''],
      resources: ['configmaps'],
      resourceNames: ['image-ca'],
      verbs: ['get'],
    });
  });

  it('grants reads of the CA certificates of event listeners, by name', () => {
    const tls = (name: string) => ({ tls: { caBundleConfigMapRef: { name } } });
    const read = (redfish: object) =>
      rulesFor('configmaps', { redfish })
        .filter(({ verbs }) => verbs.length === 1)
        .map(({ resourceNames }) => resourceNames);
    expect(read({ events: tls('listener-ca') })).toEqual([['listener-ca']]);
    expect(read({ events: tls('listener-ca'), virtualMedia: tls('image-ca') })).toEqual([['image-ca', 'listener-ca']]);
    expect(read({ events: tls('ca'), virtualMedia: tls('ca') })).toEqual([['ca']]);
    expect(read({ events: {} })).toEqual([]);
  });

  it('grants no writes of a Secret that the user named, whatever its name', () => {
    for (const name of ['creds', 'web-bmc-credentials', 'web-bmc-state', 'web-bmc-cd-login', 'web-bmc-usb-login']) {
      const written = rulesFor('secrets', { authSecretRef: { name } }).filter(({ verbs }) => verbs.includes('patch'));
      expect(written.flatMap(({ resourceNames = [] }) => resourceNames)).not.toContain(name);
    }
  });

  it.each(['console', 'vnc', 'vnc/screenshot'])("grants reads of the VM's %s", (subresource) => {
    const rules = rulesFor(`virtualmachineinstances/${subresource}`);
    expect(rules).toMatchObject([{ apiGroups: ['subresources.kubevirt.io'], resourceNames: ['web'], verbs: ['get'] }]);
  });

  it("grants the expansion of the VM's instance type", () => {
    const rules = rulesFor('virtualmachines/expand-spec');
    expect(rules).toMatchObject([{ apiGroups: ['subresources.kubevirt.io'], resourceNames: ['web'], verbs: ['get'] }]);
  });

  it('grants lists of pod metrics only if the installation allows it', () => {
    expect(role(aBmc(), { metrics: true }).rules).toContainEqual({
      apiGroups: ['metrics.k8s.io'],
      resources: ['pods'],
      verbs: ['list'],
    });
    expect(rulesFor('pods')).toEqual([]);
  });

  it('is bound to the ServiceAccount of the same name', () => {
    const { roleBinding, serviceAccount } = childDrafts(aBmc(), { image: 'i' });
    const { roleRef, subjects } = roleBinding;
    const { metadata } = serviceAccount;
    expect(roleRef.name).toBe(role(aBmc()).metadata.name);
    expect(subjects).toEqual([{ kind: 'ServiceAccount', name: metadata.name, namespace: 'vms' }]);
  });
});
