import type { Draft } from '@groundcrew/controller-runtime';
import type { VirtualMachine } from '../kubevirt/objects.ts';
import type { Cause } from '../virt-api/index.ts';
import type { DataVolume, Volumes } from './storage.ts';
import { claimNameOf } from './volumes.ts';

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
      spec,
    }));
}

/** Whether all that a VM brings along is there and full, or waits for the VM (`handleDataVolumes`). */
export function areTemplatesFilled(vm: VirtualMachine, volumes: Volumes): boolean {
  const { namespace } = vm.metadata;
  const place = namespace === undefined ? {} : { namespace };
  return (vm.spec.dataVolumeTemplates ?? []).every(({ metadata }) => {
    const phase = volumes.dataVolume({ ...place, name: metadata.name })?.status?.phase;
    return phase === 'Succeeded' || phase === 'WaitForFirstConsumer' || phase === 'PendingPopulation';
  });
}

/** What KubeVirt refuses in them: one that no volume of the VM is (`ValidateDataVolumeTemplate`). */
export function validateTemplates({ dataVolumeTemplates = [], template }: VirtualMachine['spec']): Cause[] {
  const used = new Set((template?.spec.volumes ?? []).map(claimNameOf));
  return dataVolumeTemplates.flatMap(({ metadata }, index): Cause[] => {
    if (used.has(metadata.name)) return [];
    const field = `spec.dataVolumeTemplate[${index}]`;
    const message = `DataVolumeTemplate entry ${field} must be referenced in the VMI template's 'volumes' list`;
    return [{ reason: 'FieldValueRequired', message, field }];
  });
}
