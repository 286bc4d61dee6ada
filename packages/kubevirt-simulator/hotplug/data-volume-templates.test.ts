import { describe, expect, it } from 'vitest';
import { aVm } from '../testing/builders.ts';
import { areTemplatesFilled, missingDataVolumes } from './data-volume-templates.ts';
import { aDataVolume, volumesOf } from './testing/builders.ts';

const dataVolumeTemplates = [{ metadata: { name: 'disk', labels: { tier: 'db' } }, spec: { source: { blank: {} } } }];
const vm = aVm({ runStrategy: 'Halted', dataVolumeTemplates });
const none = volumesOf({});

describe('the DataVolumes that a VM brings along', () => {
  it('are made with it, and belong to it', () => {
    expect(missingDataVolumes(vm, false, none)).toEqual([
      {
        apiVersion: 'cdi.kubevirt.io/v1beta1',
        kind: 'DataVolume',
        metadata: {
          name: 'disk',
          namespace: 'vms',
          labels: { tier: 'db', 'kubevirt.io/created-by': 'vm-uid' },
          ownerReferences: [
            {
              apiVersion: 'kubevirt.io/v1',
              kind: 'VirtualMachine',
              name: 'm',
              uid: 'vm-uid',
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        spec: { source: { blank: {} } },
      },
    ]);
    expect(missingDataVolumes(vm, true, volumesOf({ dataVolumes: [aDataVolume('disk', 'Pending')] }))).toEqual([]);
    expect(missingDataVolumes(aVm(), true, none)).toEqual([]);
  });

  it('are made when it starts, where it says so', () => {
    const annotations = { 'kubevirt.io/immediate-data-volume-creation': 'false' };
    const late = { ...vm, metadata: { ...vm.metadata, annotations } };
    expect(missingDataVolumes(late, false, none)).toEqual([]);
    expect(missingDataVolumes(late, true, none)).toHaveLength(1);
  });

  it.each([
    ['Succeeded', true],
    ['ImportInProgress', false],
    ['Failed', false],
  ] as const)('count as full in the phase %s: %s', (phase, filled) => {
    expect(areTemplatesFilled(vm, volumesOf({ dataVolumes: [aDataVolume('disk', phase)] }))).toBe(filled);
  });
});
