import { describe, expect, it } from 'vitest';
import { aBmc } from '../testing/builders.ts';
import { CHILD_NAMES, childDrafts } from './children.ts';

const drafts = (vm: string) => Object.values(childDrafts(aBmc({ vm }), { image: 'i' }));

describe('the children of a BMC', () => {
  it('all have the name <vm>-virtbmc and labels that identify the BMC and the VM', () => {
    for (const { metadata } of drafts('web')) {
      expect(metadata.name).toBe('web-virtbmc');
      expect(metadata.labels).toMatchObject({
        'kubevirt.io/virtualmachinebmc-name': 'web-bmc',
        'kubevirt.io/vm-name': 'web',
        'app.kubernetes.io/name': 'groundcrew',
        'app.kubernetes.io/component': 'bmc-agent',
        'app.kubernetes.io/managed-by': 'groundcrew',
      });
    }
  });

  it('are owned by the BMC', () => {
    for (const { metadata } of drafts('web'))
      expect(metadata.ownerReferences).toEqual([
        {
          apiVersion: 'bmc.kubevirt.io/v1beta1',
          kind: 'VirtualMachineBMC',
          name: 'web-bmc',
          uid: 'uid-of-web-bmc',
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
  });

  it.each([['a'.repeat(56)], ['1st'], ['db.prod'], ['v'.repeat(253)]])(
    'have a valid Service name for a VM with the name %s',
    (vm) => {
      for (const { metadata } of drafts(vm)) {
        expect(metadata.name).toMatch(/^vm-[0-9a-f]{8}-virtbmc$/);
        for (const value of Object.values(metadata.labels ?? {})) expect(value.length).toBeLessThanOrEqual(63);
      }
    },
  );

  it('are created in order: RBAC before the pod', () => {
    expect(CHILD_NAMES.indexOf('deployment')).toBe(CHILD_NAMES.length - 1);
  });
});
