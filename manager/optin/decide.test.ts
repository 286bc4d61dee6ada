import { describe, expect, it } from 'vitest';
import type { VirtualMachineBMC } from '../../api/index.ts';
import type { KubeObject } from '@groundcrew/controller-runtime';
import { aBmc, type BmcFields } from '../virtualmachinebmc/testing/builders.ts';
import { decide, isOurs, refused, type Inputs } from './decide.ts';

function aVm(enabled?: string): KubeObject {
  const annotations: Record<string, string> = enabled === undefined ? {} : { 'bmc.kubevirt.io/enabled': enabled };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { name: 'web', namespace: 'vms', uid: 'vm-1', annotations },
  };
}

/** The BMC that the manager made for the VM. */
function made(change: Partial<VirtualMachineBMC['metadata']> = {}, fields: BmcFields = {}): VirtualMachineBMC {
  const bmc = aBmc({ name: 'web', ...fields });
  const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'vm-1', controller: true };
  const labels = { 'app.kubernetes.io/managed-by': 'groundcrew' };
  const annotations = { 'bmc.kubevirt.io/requested-by': 'annotation' };
  return { ...bmc, metadata: { ...bmc.metadata, labels, annotations, ownerReferences: [owner], ...change } };
}

const byAuto = { annotations: { 'bmc.kubevirt.io/requested-by': 'autoProvision' } };
const going = { deletionTimestamp: '2026-01-02T00:00:00Z' };
const applied = { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' } };

function decision(vm: KubeObject, bmcs: VirtualMachineBMC[] = [], change: Partial<Inputs> = {}) {
  return decide({ vm, bmcs, autoProvision: false, taken: [], ...change });
}

describe('a VM without a BMC', () => {
  it('gets one with its name, which it owns, if the annotation asks for it', () => {
    expect(decision(aVm('true'))).toMatchObject({
      state: 'Ongoing',
      create: {
        metadata: {
          name: 'web',
          namespace: 'vms',
          labels: { 'app.kubernetes.io/managed-by': 'groundcrew' },
          annotations: { 'bmc.kubevirt.io/requested-by': 'annotation' },
          ownerReferences: [{ kind: 'VirtualMachine', name: 'web', uid: 'vm-1', controller: true }],
        },
        spec: { virtualMachineRef: { name: 'web' } },
      },
    });
  });

  it.each<[string, string | undefined, boolean, string | undefined]>([
    ['gets none without annotation', undefined, false, undefined],
    ['gets one without annotation if the installation provisions BMCs', undefined, true, 'autoProvision'],
    ['gets none if it opts out', 'false', true, undefined],
    ['gets one of its own request, whatever the installation does', 'true', true, 'annotation'],
  ])('%s', (_, enabled, autoProvision, requestedBy) => {
    const { create, state } = decision(aVm(enabled), [], { autoProvision });
    expect(create?.metadata.annotations?.['bmc.kubevirt.io/requested-by']).toBe(requestedBy);
    expect(state).toBe(requestedBy === undefined ? undefined : 'Ongoing');
  });

  it('gets none if its login would be in the Secret of another user', () => {
    const { create, state, complaint } = decision(aVm('true'), [], { taken: ['Secret web-credentials'] });
    expect(create).toBeUndefined();
    expect(state).toBe('Failed');
    expect(complaint?.message).toContain('It would use Secret web-credentials, which no BMC made.');
  });

  it('is Failed with the message of the API server that refused its BMC', () => {
    expect(refused('exceeded quota')).toMatchObject({
      state: 'Failed',
      complaint: { reason: 'BMCNotCreated', message: 'The API server refused it: exceeded quota' },
    });
  });
});

describe('a VM with the BMC that was made for it', () => {
  it.each([
    ['Ready', 'Provisioned'],
    ['Pending', 'Ongoing'],
    ['Degraded', 'Ongoing'],
    ['Failed', 'Failed'],
  ] as const)('with phase %s is %s', (phase, state) => {
    expect(decision(aVm('true'), [made({}, { status: { phase } })])).toMatchObject({ state });
    expect(decision(aVm('true'), [made({}, { status: { phase } })])).not.toHaveProperty('create');
  });

  it('is Failed with the message of the BMC', () => {
    const conditions = [
      { type: 'Ready', status: 'False' as const, reason: 'Refused', message: 'No quota.', lastTransitionTime: '' },
    ];
    const { complaint } = decision(aVm('true'), [made({}, { status: { phase: 'Failed', conditions } })]);
    expect(complaint).toEqual({ reason: 'BMCFailed', message: 'VirtualMachineBMC web does not work: No quota.' });
  });

  it.each<[string, string | undefined, boolean, Partial<VirtualMachineBMC['metadata']>, boolean]>([
    ['loses it with the annotation', undefined, false, {}, true],
    ['loses it if it opts out of automatic provisioning', 'false', true, byAuto, true],
    ['keeps it if the installation provisions BMCs', undefined, true, {}, false],
    ['keeps it when the installation stops to provision BMCs', undefined, false, byAuto, false],
    ['loses it if it opts out after that', 'false', false, byAuto, true],
    ['keeps it while the annotation is unclear', 'yes', false, {}, false],
    ['does not delete it twice', undefined, false, going, false],
  ])('%s', (_, enabled, autoProvision, metadata, isRemoved) => {
    const bmc = made(metadata);
    expect(decision(aVm(enabled), [bmc], { autoProvision }).remove).toBe(isRemoved ? bmc : undefined);
  });

  it('is Ongoing until the deletion of the BMC has ended, and that of the BMC of an earlier VM', () => {
    const left = { ownerReferences: [{ ...made().metadata.ownerReferences?.[0], uid: 'vm-0' }] } as object;
    expect(decision(aVm('true'), [made(going)])).toEqual({ state: 'Ongoing' });
    expect(decision(aVm('true'), [made(left)])).toEqual({ state: 'Ongoing' });
  });
});

describe('a BMC of a user', () => {
  it.each<[string, VirtualMachineBMC]>([
    ['that they wrote', aBmc({ name: 'web' })],
    ['whose owner they removed', made({ ownerReferences: [] })],
    ['whose label they removed', made({ labels: {} })],
    ['over which they applied a manifest', made(applied)],
  ])('%s is not deleted, and no other is made', (_, bmc) => {
    expect(isOurs(bmc, aVm())).toBe(false);
    expect(decision(aVm('false'), [bmc], { autoProvision: true })).toEqual({ state: undefined });
    expect(decision(aVm(), [bmc])).toEqual({ state: undefined });
    const asked = decision(aVm('true'), [bmc]);
    expect(asked).toMatchObject({ state: 'Failed', complaint: { reason: 'BMCNotCreated' } });
    expect(asked).not.toHaveProperty('create');
  });

  it('with another name is enough for a VM that only the installation would give one', () => {
    expect(decision(aVm(), [aBmc({ name: 'mine' })], { autoProvision: true })).toEqual({ state: undefined });
  });

  it('of another VM keeps its name', () => {
    const { create, complaint } = decision(aVm('true'), [aBmc({ name: 'web', vm: 'db' })]);
    expect(create).toBeUndefined();
    expect(complaint?.message).toContain('VirtualMachineBMC web, of VirtualMachine db, has the name.');
  });
});

it('a VM with an unclear annotation is Failed, and its owner is told', () => {
  expect(decision(aVm('True'))).toEqual({
    state: 'Failed',
    complaint: {
      reason: 'InvalidBMCRequest',
      message: 'Annotation bmc.kubevirt.io/enabled: "True" is neither "true" nor "false".',
    },
  });
});
