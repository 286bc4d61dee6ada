import { expect, it } from 'vitest';
import type { KubeObject } from '@groundcrew/controller-runtime';
import type { VirtualMachineInstance } from '../../api/index.ts';
import { evaluate } from '../status/evaluate.ts';
import type { Inputs } from '../status/inputs.ts';
import {
  aBmc,
  aCluster,
  aConfig,
  aLease,
  anEvent,
  aVm,
  edited,
  pending,
  secondsAgo,
} from '../status/testing/builders.ts';
import { SITUATIONS } from '../status/testing/situations.ts';
import { kept } from './kept-fields.ts';

const LISTS = [
  ...(['bmcs', 'virtualMachines', 'instances', 'events', 'pools', 'leases', 'networkConfigs', 'services'] as const),
  ...(['pods', 'deployments', 'statefulSets', 'elections', 'rollouts'] as const),
];

function keptOf(inputs: Inputs): Inputs {
  const lists = LISTS.map((list) => [list, (inputs[list] as KubeObject[]).map((one) => kept(list, one))]);
  return { ...inputs, ...(Object.fromEntries(lists) as Partial<Inputs>) };
}

const vmi: VirtualMachineInstance = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: { name: 'web', namespace: 'vms', uid: 'x' },
  spec: { domain: { devices: {} } },
  status: { phase: 'Running', conditions: [{ type: 'Paused', status: 'True' }] },
};
const event = { ...anEvent('uid-web', secondsAgo(9), 'PowerOn'), count: 3 };
const released = { 'network.harvesterhci.io/released': 'true' };

const OTHERS: readonly [what: string, Partial<Inputs>][] = [
  ['a machine is paused after an action', { instances: [vmi], events: [event] }],
  ['a machine ends', { instances: [{ ...vmi, metadata: { ...vmi.metadata, deletionTimestamp: secondsAgo(9) } }] }],
  ['a machine starts', { virtualMachines: [{ ...aVm(), status: { stateChangeRequests: [{ action: 'Start' }] } }] }],
  ['an address is in quarantine', { leases: [aLease(released, { state: 'Declined' })] }],
  ['a network config waits', { networkConfigs: [aConfig(pending()), aConfig(undefined, true)] }],
  ['a BMC was edited', { bmcs: [edited(aBmc('web', { observedGeneration: 1 }), 5)] }],
  [
    'a BMC is new',
    { bmcs: [{ ...aBmc(), metadata: { ...aBmc().metadata, creationTimestamp: secondsAgo(5) }, status: {} }] },
  ],
];

const ALL = [...OTHERS, ...SITUATIONS.map(([what, change]) => [what, change] as const)];

it.each(ALL)('leaves all that the status is made of if %s', (_what, change) => {
  const inputs = aCluster(change);
  expect(evaluate(keptOf(inputs))).toEqual(evaluate(inputs));
});

it('leaves nothing else', () => {
  const { metadata, spec } = kept('virtualMachines', aVm());
  expect([metadata, spec]).toEqual([{ name: 'web', namespace: 'vms', labels: {} }, undefined]);
});
