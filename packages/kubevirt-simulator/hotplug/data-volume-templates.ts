import type { Draft } from '@groundcrew/controller-runtime';
import type { VirtualMachine } from '../kubevirt/objects.ts';
import type { DataVolume, DataVolumeSpec } from '../cdi/index.ts';
import type { Volumes } from './storage.ts';

/** On a VM, `false`: its DataVolumes are made when it starts, and not when it is made. */
const IMMEDIATE = 'kubevirt.io/immediate-data-volume-creation';

/** Those of a VM's templates that are still to be made; the VM owns them. */
export function missingDataVolumes(vm: VirtualMachine, isSetToStart: boolean, volumes: Volumes): Draft<DataVolume>[] {
  const { name, namespace, uid = '', annotations } = vm.metadata;
  if (!isSetToStart && annotations?.[IMMEDIATE] === 'false') return [];
  const place = namespace === undefined ? {} : { namespace };
  return (vm.spec.dataVolumeTemplates ?? [])
    .filter(({ metadata }) => volumes.dataVolume({ ...place, name: metadata.name }) === undefined)
    .map(({ metadata, spec }) => ({
      apiVersion: 'cdi.kubevirt.io/v1beta1',
      kind: 'DataVolume',
      metadata: {
        ...metadata,
        ...place,
        labels: { ...metadata.labels, 'kubevirt.io/created-by': uid },
        ownerReferences: [
          {
            apiVersion: 'kubevirt.io/v1',
            kind: 'VirtualMachine',
            name,
            uid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: spec as DataVolumeSpec, // The API server validates it.
    }));
}

/** Whether the DataVolumes of a VM's templates are filled. */
export function areTemplatesFilled(vm: VirtualMachine, volumes: Volumes): boolean {
  const { namespace } = vm.metadata;
  const place = namespace === undefined ? {} : { namespace };
  return (vm.spec.dataVolumeTemplates ?? []).every(
    ({ metadata }) => volumes.dataVolume({ ...place, name: metadata.name })?.status?.phase === 'Succeeded',
  );
}
