import { describe, expect, it } from 'vitest';
import { aPool, aScope } from '../../testing/builders.ts';
import { childDrafts, type ChildDraft } from './children.ts';
import type { Scope } from './scope.ts';

/** The drafts for two agents of pools in a namespace: two ServiceAccounts, Role, RoleBinding, and two of each other kind. */
function draftsOf(scope: Scope, namespace: string): ChildDraft[] {
  const agents = [0, 1].map((index) => ({
    index,
    addresses: [`10.0.0.${index + 2}/24`],
    routes: [],
    poolNamespaces: [namespace],
  }));
  const made = childDrafts(scope, agents);
  return 'drafts' in made ? made.drafts : expect.fail('a bridge gives addresses');
}

const ownersOf = (scope: Scope, namespace: string) =>
  draftsOf(scope, namespace).map(({ draft }) => draft.metadata.ownerReferences);

describe('the objects of a network', () => {
  it('are created in order: RBAC and network before pods', () => {
    expect(draftsOf(aScope(), 'vms').map(({ child, draft }) => `${child} ${draft.metadata.name ?? ''}`)).toEqual([
      'serviceAccount lan-dhcp-0',
      'serviceAccount lan-dhcp-1',
      'role vms.lan-dhcp',
      'roleBinding vms.lan-dhcp',
      'attachment lan-dhcp-0',
      'deployment lan-dhcp-0',
      'attachment lan-dhcp-1',
      'deployment lan-dhcp-1',
    ]);
  });

  it('are not created where KubeVirt answers the VMs: no DHCP request would reach an agent', () => {
    const scope = aScope();
    const config = '{"type":"bridge","bridge":"br0","ipam":{"type":"host-local"}}';
    const agents = [{ index: 0, addresses: ['10.0.0.2/24'], routes: [], poolNamespaces: ['vms'] }];
    const made = childDrafts({ ...scope, attachment: { ...scope.attachment, spec: { config } } }, agents);
    expect(made).toMatchObject({ problem: { reason: 'NetworkHasIPAM' } });
  });

  it('are owned by the pools if all pools are in their namespace', () => {
    const [owners] = ownersOf(aScope({ pools: [aPool(), aPool({ name: 'second' })] }), 'vms');
    expect(owners?.map(({ name, controller }) => [name, controller])).toEqual([
      ['pool', undefined],
      ['second', undefined],
    ]);
  });

  it('have no owners if a pool is in another namespace, since garbage collection would ignore that pool', () => {
    const [serviceAccount, , role] = ownersOf(
      aScope({ pools: [aPool(), aPool({ name: 'far', namespace: 'far' })] }),
      'far',
    );
    expect(serviceAccount).toEqual([]);
    expect(role).toMatchObject([{ name: 'far' }]);
  });

  it("include the network's namespace in RBAC names, which may share a namespace", () => {
    const network = { namespace: 'other', name: 'lan' };
    const [, , role, roleBinding] = draftsOf({ ...aScope(), network }, 'vms').map(({ draft }) => draft);
    expect(role?.metadata.name).toBe('other.lan-dhcp');
    expect(roleBinding).toMatchObject({
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'other.lan-dhcp' },
      subjects: [
        { kind: 'ServiceAccount', name: 'lan-dhcp-0', namespace: 'other' },
        { kind: 'ServiceAccount', name: 'lan-dhcp-1', namespace: 'other' },
      ],
    });
  });

  it('permit only to read pools and leases and to write the status of leases and events', () => {
    const drafts = draftsOf(aScope(), 'vms').map(({ draft }) => draft);
    const read = ['get', 'list', 'watch'];
    expect(drafts[2]).toMatchObject({
      kind: 'Role',
      metadata: { name: 'vms.lan-dhcp', namespace: 'vms' },
      rules: [
        { apiGroups: ['network.harvesterhci.io'], resources: ['ippools'], verbs: read },
        { apiGroups: ['network.harvesterhci.io'], resources: ['ipleases'], verbs: read },
        { apiGroups: ['network.harvesterhci.io'], resources: ['ipleases/status'], verbs: ['get', 'patch'] },
        { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
      ],
    });
  });
});
