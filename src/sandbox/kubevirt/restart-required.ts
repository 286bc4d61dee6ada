import { isDeepStrictEqual } from 'node:util';
import type { InstanceSpec, VirtualMachine, VirtualMachineInstance } from './objects.ts';

/**
 * Whether the VM's template differs from what its instance was started with in a field that KubeVirt cannot
 * change on a running guest (`syncRestartRequired`; rollout strategy LiveUpdate, its default).
 */
export function isRestartRequired(vm: VirtualMachine, vmi: VirtualMachineInstance): boolean {
  if (vm.spec.template === undefined) return false;
  return !isDeepStrictEqual(comparable(vm.spec.template.spec), comparable(vmi.spec));
}

/** The spec without what may change live, and without what starting and stopping an instance themselves write to it. */
function comparable(spec: InstanceSpec): unknown {
  const {
    nodeSelector: _nodeSelector,
    affinity: _affinity,
    tolerations: _tolerations,
    startStrategy: _startStrategy,
    terminationGracePeriodSeconds: _gracePeriod,
    ...rest
  } = spec;
  const { sockets: _sockets, ...cpu } = spec.domain.cpu ?? {};
  const { guest: _guest, ...memory } = spec.domain.memory ?? {};
  // Through JSON: a field that is undefined is a field that is not there.
  return JSON.parse(JSON.stringify({ ...rest, domain: { ...spec.domain, cpu, memory } })) as unknown;
}
