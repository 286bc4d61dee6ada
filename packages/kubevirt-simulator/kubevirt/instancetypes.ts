import {
  ApiError,
  type CustomResourceDefinition,
  type Draft,
  type Kind,
  type KubeClient,
  type KubeObject,
} from '@groundcrew/controller-runtime';
import { definition, OPEN, type Schema } from './definition.ts';
import type { InstanceSpec, VirtualMachine } from './objects.ts';

/** The used part of an instance type (instancetype.kubevirt.io/v1beta1). */
interface Instancetype extends KubeObject {
  spec: { cpu: { guest: number }; memory: { guest: string } };
}

const GROUP = { group: 'instancetype.kubevirt.io', version: 'v1beta1' } as const;
const INSTANCETYPES: Kind<Instancetype> = {
  ...GROUP,
  kind: 'VirtualMachineInstancetype',
  plural: 'virtualmachineinstancetypes',
  namespaced: true,
};
const CLUSTER_INSTANCETYPES: Kind<Instancetype> = {
  ...GROUP,
  kind: 'VirtualMachineClusterInstancetype',
  plural: 'virtualmachineclusterinstancetypes',
  namespaced: false,
};

/** The annotation of an instance that names its instance type. */
const ANNOTATIONS = new Map([
  [INSTANCETYPES, 'kubevirt.io/instancetype-name'],
  [CLUSTER_INSTANCETYPES, 'kubevirt.io/cluster-instancetype-name'],
]);

export const INSTANCETYPE_CRDS = [INSTANCETYPES, CLUSTER_INSTANCETYPES].map(crd);

/** The VM's instance type cannot be applied. */
export class InstancetypeError extends Error {
  override readonly name = 'InstancetypeError';
  readonly code = 'Instancetype';
}

/**
 * A spec with the CPUs and the memory of the VM's instance type (`applyCPU`, `applyMemory`), and the annotation with its
 * name. Preferences are ignored.
 *
 * @throws InstancetypeError if the instance type is missing, or the template has CPUs or memory too
 */
export async function withInstancetype(
  vm: VirtualMachine,
  guest: InstanceSpec,
  client: KubeClient,
): Promise<{ guest: InstanceSpec; annotations: Record<string, string> }> {
  const { instancetype } = vm.spec;
  if (instancetype === undefined) return { guest, annotations: {} };
  const kind = kindOf(instancetype.kind);
  const { spec } = await find(kind, instancetype.name, vm.metadata.namespace, client);
  const conflicts = (['cpu', 'memory'] as const).filter((field) => guest.domain[field] !== undefined);
  if (conflicts.length > 0) {
    const fields = conflicts.map((field) => `spec.template.spec.domain.${field}`).join(', ');
    throw new InstancetypeError(`VM field(s) ${fields} conflicts with selected instance type`);
  }
  return {
    guest: {
      ...guest,
      domain: {
        ...guest.domain,
        cpu: { cores: 1, sockets: spec.cpu.guest, threads: 1 },
        memory: { guest: spec.memory.guest },
      },
    },
    annotations: { [ANNOTATIONS.get(kind) ?? '']: instancetype.name },
  };
}

function kindOf(name = ''): Kind<Instancetype> {
  const known = [INSTANCETYPES, CLUSTER_INSTANCETYPES].find(({ kind, plural }) =>
    [kind.toLowerCase(), plural].includes(name.toLowerCase()),
  );
  if (known !== undefined) return known;
  if (name === '') return CLUSTER_INSTANCETYPES;
  throw new InstancetypeError(`got unexpected kind in InstancetypeMatcher: ${name}`);
}

async function find(
  kind: Kind<Instancetype>,
  name: string,
  namespace: string | undefined,
  client: KubeClient,
): Promise<Instancetype> {
  try {
    return await client.get(kind, { name, ...(kind.namespaced && namespace !== undefined && { namespace }) });
  } catch (error) {
    if (error instanceof ApiError) throw new InstancetypeError(error.serverMessage, { cause: error });
    throw error;
  }
}

function crd(kind: Kind<Instancetype>): Draft<CustomResourceDefinition> {
  const guest = (schema: Schema): Schema => ({ ...OPEN, required: ['guest'], properties: { guest: schema } });
  return definition({
    ...kind,
    scope: kind.namespaced ? 'Namespaced' : 'Cluster',
    description: 'Processors and memory of VMs',
    spec: {
      ...OPEN,
      required: ['cpu', 'memory'],
      properties: {
        cpu: guest({ type: 'integer', format: 'int32' }),
        memory: guest({ 'x-kubernetes-int-or-string': true }),
      },
    },
  });
}
