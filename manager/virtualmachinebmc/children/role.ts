import type { VirtualMachineBMC } from '../../../api/index.ts';
import type { Draft, Role } from '@groundcrew/controller-runtime';
import { agentRole, type AgentSettings } from '../../agent-workload/index.ts';
import { objectNames } from '../../bmc-agent/index.ts';
import { childMetadata } from './identity.ts';

/**
 * The agent's permissions. Rules name their objects, so that the agent can use no other virtual machine, BMC or Secret by itself. RBAC
 * does not limit the fields that it writes: what it may put into its virtual machine, BMC, images, Secrets and Events is limited by the
 * admission policies of the chart (`agent-policy.yaml`), without which the patch of a volume reaches every Secret of the namespace.
 * Those policies ask for the verbs here to tell what is the agent's own. With `resourceNames` a list or watch is allowed only with
 * `fieldSelector=metadata.name=…`. The only unnamed rules are events, whose names the writer generates, and, if metrics are enabled,
 * pod metrics, whose names KubeVirt generates.
 */
export function role(bmc: VirtualMachineBMC, { metrics = false }: Pick<AgentSettings, 'metrics'> = {}): Draft<Role> {
  const names = objectNames(bmc);
  const { images, logins, state, caBundles } = names;
  const [vm, self, secret] = [[names.vm], [names.bmc], [names.credentials]];
  const [certificate, log] = [[names.certificate], [names.log]];
  const read = ['get', 'list', 'watch'];
  const keep = [...read, 'create', 'patch'];
  return agentRole(childMetadata(bmc), [
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachines'], resourceNames: vm, verbs: [...read, 'patch'] },
    { apiGroups: ['kubevirt.io'], resources: ['virtualmachineinstances'], resourceNames: vm, verbs: read },
    {
      apiGroups: ['subresources.kubevirt.io'],
      resources: ['virtualmachines/start', 'virtualmachines/stop', 'virtualmachines/restart'],
      resourceNames: vm,
      verbs: ['update'],
    },
    {
      apiGroups: ['subresources.kubevirt.io'],
      resources: [
        'virtualmachineinstances/console',
        // kube-apiserver asks for the first for both; virt-api asks for the second for a screenshot.
        'virtualmachineinstances/vnc',
        'virtualmachineinstances/vnc/screenshot',
        'virtualmachines/expand-spec',
      ],
      resourceNames: vm,
      verbs: ['get'],
    },
    {
      apiGroups: ['subresources.kubevirt.io'],
      resources: [
        'virtualmachineinstances/reset',
        'virtualmachineinstances/softreboot',
        'virtualmachineinstances/pause',
        'virtualmachineinstances/unpause',
      ],
      resourceNames: vm,
      verbs: ['update'],
    },
    {
      apiGroups: ['bmc.kubevirt.io'],
      resources: ['virtualmachinebmcs'],
      resourceNames: self,
      verbs: [...read, 'patch'],
    },
    {
      apiGroups: ['bmc.kubevirt.io'],
      resources: ['virtualmachinebmcs/status'],
      resourceNames: self,
      verbs: ['get', 'patch'],
    },
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: secret,
      verbs: names.isGenerated ? [...read, 'patch'] : read,
    },
    { apiGroups: [''], resources: ['secrets'], resourceNames: certificate, verbs: read },
    // Created by server-side apply: a POST has no name in its path, so `create` cannot be limited by name.
    ...(state.length === 0 ? [] : [{ apiGroups: [''], resources: ['secrets'], resourceNames: state, verbs: keep }]),
    { apiGroups: [''], resources: ['configmaps'], resourceNames: log, verbs: keep },
    { apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes'], resourceNames: images, verbs: [...keep, 'delete'] },
    {
      apiGroups: [''],
      resources: ['secrets'],
      resourceNames: logins,
      verbs: ['get', 'create', 'patch', 'delete'],
    },
    ...(caBundles.length === 0
      ? []
      : [{ apiGroups: [''], resources: ['configmaps'], resourceNames: caBundles, verbs: ['get'] }]),
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'] },
    ...(metrics ? [{ apiGroups: ['metrics.k8s.io'], resources: ['pods'], verbs: ['list'] }] : []),
  ]);
}
