import { describe, expect, it } from 'vitest';
import { aClaim, aStorageClass } from '../testing/builders.ts';
import { bindingOf, defaultClass } from './binding.ts';

const isDefault = {
  metadata: { name: 'usual', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
};
const waiting = aStorageClass('sandbox', { volumeBindingMode: 'WaitForFirstConsumer' });

describe('a claim', () => {
  it('gets the default class, a volume, and is bound, one after the other', () => {
    const classes = [aStorageClass('usual', isDefault)];
    const unclassed = aClaim('Pending', {}, { storageClassName: undefined });
    expect(bindingOf(unclassed, classes)).toEqual({ type: 'classify', storageClassName: 'usual' });
    const claim = aClaim('Pending', {}, { storageClassName: 'usual', resources: { requests: { storage: '1Gi' } } });
    expect(bindingOf(claim, classes)).toEqual({ type: 'provision', volumeName: 'pvc-claim-uid' });
    const provisioned = { ...claim, spec: { ...claim.spec, volumeName: 'pvc-claim-uid' } };
    expect(bindingOf(provisioned, classes)).toEqual({
      type: 'bind',
      status: { phase: 'Bound', accessModes: ['ReadWriteMany'], capacity: { storage: '1Gi' } },
    });
    expect(bindingOf({ ...provisioned, status: { phase: 'Bound' } }, classes)).toEqual({ type: 'none' });
  });

  it('stays as it is without a class, with one that is not there, and with one of another provisioner', () => {
    expect(bindingOf(aClaim('Pending', {}, { storageClassName: undefined }), [])).toEqual({ type: 'none' });
    expect(bindingOf(aClaim('Pending'), [])).toEqual({ type: 'none' });
    expect(bindingOf(aClaim('Pending'), [aStorageClass('sandbox', { provisioner: 'other' })])).toEqual({
      type: 'none',
    });
  });

  it('waits for its first consumer where its class does', () => {
    expect(bindingOf(aClaim('Pending'), [waiting])).toEqual({ type: 'none' });
    const annotations = { 'volume.kubernetes.io/selected-node': 'node01' };
    expect(bindingOf(aClaim('Pending', { annotations }), [waiting])).toMatchObject({ type: 'provision' });
  });

  it('is let go when it is deleted, of what protects it and no more', () => {
    const leaving = { deletionTimestamp: '2026-11-21T01:37:16Z' };
    const finalizers = ['kubernetes.io/pvc-protection', 'example/mine'];
    expect(bindingOf(aClaim('Bound', { ...leaving, finalizers }), [])).toEqual({
      type: 'release',
      finalizers: ['example/mine'],
    });
    expect(bindingOf(aClaim('Bound', leaving), [])).toEqual({ type: 'none' });
  });
});

it('the default class of VMs comes before that of all', () => {
  const forVms = {
    metadata: { name: 'vms', annotations: { 'storageclass.kubevirt.io/is-default-virt-class': 'true' } },
  };
  expect(defaultClass([])).toBeUndefined();
  expect(defaultClass([aStorageClass('usual', isDefault)])).toBe('usual');
  expect(defaultClass([aStorageClass('usual', isDefault), aStorageClass('vms', forVms)])).toBe('vms');
});
