import { describe, expect, it } from 'vitest';
import { aPool } from '../../testing/pool.ts';
import { aScope } from '../../testing/scope.ts';
import { childDrafts } from './children.ts';
import { role } from './role.ts';
import { roleBinding } from './role-binding.ts';
import { serviceAccount } from './service-account.ts';

const AGENTS = [0, 1].map((index) => ({ index, addresses: [`10.0.0.${index + 2}/24`], poolNamespaces: ['vms'] }));

describe('the objects of a network', () => {
  it('are created in order: RBAC and network before pods', () => {
    const made = childDrafts(aScope(), AGENTS);
    expect('drafts' in made && made.drafts.map(({ child, draft }) => `${child} ${draft.metadata.name ?? ''}`)).toEqual([
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

  it('are owned by the pools if all pools are in their namespace', () => {
    const owners = serviceAccount(aScope({ pools: [aPool(), aPool({ name: 'second' })] }), 0).metadata.ownerReferences;
    expect(owners?.map(({ name, controller }) => [name, controller])).toEqual([
      ['pool', undefined],
      ['second', undefined],
    ]);
  });

  it('have no owners if a pool is in another namespace, since garbage collection would ignore that pool', () => {
    const pools = [aPool(), aPool({ name: 'far', namespace: 'far' })];
    expect(serviceAccount(aScope({ pools }), 0).metadata.ownerReferences).toEqual([]);
    expect(role(aScope({ pools }), 'far').metadata.ownerReferences).toMatchObject([{ name: 'far' }]);
  });

  it("include the network's namespace in RBAC names, which may share a namespace", () => {
    const scope = { ...aScope(), network: { namespace: 'other', name: 'lan' } };
    expect(role(scope, 'vms').metadata.name).toBe('other.lan-dhcp');
    expect(roleBinding(scope, 'vms', AGENTS).subjects).toEqual([
      { kind: 'ServiceAccount', name: 'lan-dhcp-0', namespace: 'other' },
      { kind: 'ServiceAccount', name: 'lan-dhcp-1', namespace: 'other' },
    ]);
  });
});
