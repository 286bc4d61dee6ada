import { withImpliedDevices } from '../../defaults/index.ts';
import { InstancetypeError, withInstancetype } from '../../kubevirt/instancetypes.ts';
import { VIRTUAL_MACHINES, type VirtualMachine } from '../../kubevirt/objects.ts';
import { StatusError } from '../../kubevirt/status-error.ts';
import type { SubresourceAnswer, SubresourceContext, SubresourceRequest } from './subresources.ts';

/** The VM with what its instance type makes of it (`ExpandSpecVMRequestHandler`); as it is where it has none. */
export async function expandSpec(
  { ref }: SubresourceRequest,
  { client, podBinding }: SubresourceContext,
): Promise<SubresourceAnswer> {
  const vm = await client.find(VIRTUAL_MACHINES, ref);
  if (vm === undefined) throw StatusError.notFound('virtualmachine', ref.name);
  const { instancetype, preference, template, ...spec } = vm.spec;
  if ((instancetype === undefined && preference === undefined) || template === undefined) return answer(vm);
  try {
    const { guest, annotations } = await withInstancetype(vm, withImpliedDevices(template.spec, podBinding()), client);
    const metadata = { ...template.metadata, annotations: { ...template.metadata?.annotations, ...annotations } };
    return answer({ ...vm, spec: { ...spec, template: { ...template, metadata, spec: guest } } });
  } catch (error) {
    if (error instanceof InstancetypeError) throw StatusError.internal(error.message);
    throw error;
  }
}

function answer(vm: VirtualMachine): SubresourceAnswer {
  return { status: 200, type: 'application/json', body: JSON.stringify(vm) };
}
