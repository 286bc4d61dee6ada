import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { Draft, ObjectRef, Role } from '@groundcrew/controller-runtime';
import { agentRole, type AgentSettings } from '../../agent-workload/index.ts';
import { objectNames } from '../../bmc-agent/index.ts';
import { sharedAgentMetadata } from './identity.ts';
import { REPLICAS } from './stateful-set.ts';

type Rule = NonNullable<Role['rules']>[number];

/**
 * The permissions of a shared agent. It reads virtual machines, BMCs and images of the whole namespace, by one watch each. What it
 * writes, and every Secret and ConfigMap that it reads, is named: the objects of its BMCs, as `virtualmachinebmc/children/role.ts` has
 * them for one. It needs no permission for the Secrets that users name: the manager copies their credentials. The admission policies
 * of the chart (`agent-policy.yaml`) limit the fields.
 *
 * @param bmcs in a fixed order: the rules are compared
 */
export function sharedRole(
  agent: Required<ObjectRef>,
  bmcs: readonly VirtualMachineBMC[],
  { metrics = false }: Pick<AgentSettings, 'metrics'> = {},
): Draft<Role> {
  const names = bmcs.map(objectNames);
  const vms = [...new Set(names.map(({ vm }) => vm))];
  const self = names.map(({ bmc }) => bmc);
  const pods = Array.from({ length: REPLICAS }, (_, index) => `${agent.name}-${index}`);
  const read = ['get', 'list', 'watch'];
  const named = (group: string, resources: string[], resourceNames: string[], verbs: string[]): Rule[] =>
    // Without names a rule would be for all objects.
    resourceNames.length === 0 ? [] : [{ apiGroups: [group], resources, resourceNames, verbs }];
  return agentRole(sharedAgentMetadata(agent), [
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachines', 'virtualmachineinstances'], verbs: read },
    { apiGroups: ['bmc.kubevirt.io'], resources: ['virtualmachinebmcs'], verbs: read },
    { apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes'], verbs: read },
    ...named('kubevirt.io', ['virtualmachines'], vms, ['patch']),
    ...named('subresources.kubevirt.io', UPDATED_SUBRESOURCES, vms, ['update']),
    ...named('subresources.kubevirt.io', READ_SUBRESOURCES, vms, ['get']),
    ...named('bmc.kubevirt.io', ['virtualmachinebmcs'], self, ['patch']),
    ...named('bmc.kubevirt.io', ['virtualmachinebmcs/status'], self, ['get', 'patch']),
    ...named('', ['secrets'], generated(names), ['get', 'patch']),
    ...named(
      '',
      ['secrets'],
      names.map(({ certificate }) => certificate),
      ['get'],
    ),
    ...named(
      '',
      ['secrets'],
      names.flatMap(({ state }) => state),
      ['get', 'create', 'patch'],
    ),
    ...named(
      '',
      ['configmaps'],
      names.map(({ log }) => log),
      ['get', 'create', 'patch'],
    ),
    ...named(
      'cdi.kubevirt.io',
      ['datavolumes'],
      names.flatMap(({ images }) => images),
      ['create', 'patch', 'delete'],
    ),
    ...named(
      '',
      ['secrets'],
      names.flatMap(({ logins }) => logins),
      ['get', 'create', 'patch', 'delete'],
    ),
    ...named('', ['configmaps'], [...new Set(names.flatMap(({ caBundles }) => caBundles))], ['get']),
    ...named('', ['secrets'], [agent.name], read),
    ...named('coordination.k8s.io', ['leases'], [agent.name], ['get', 'update']),
    ...named('', ['pods'], pods, ['get', 'patch']),
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ...(metrics ? [{ apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['list'] }] : []),
  ]);
}

const UPDATED_SUBRESOURCES = [
  ...['virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart'],
  ...['virtualmachineinstances/reset', 'virtualmachineinstances/softreboot'],
  ...['virtualmachineinstances/pause', 'virtualmachineinstances/unpause'],
];

const READ_SUBRESOURCES = [
  ...['virtualmachineinstances/console', 'virtualmachineinstances/vnc', 'virtualmachineinstances/vnc/screenshot'],
  'virtualmachines/expand-spec',
];

/** The Secrets that the manager has made: an agent writes a password into them that a client has set. */
function generated(names: readonly ReturnType<typeof objectNames>[]): string[] {
  return names.filter(({ isGenerated }) => isGenerated).map(({ credentials }) => credentials);
}
