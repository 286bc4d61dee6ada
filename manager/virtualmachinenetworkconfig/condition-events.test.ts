import { expect, it } from 'vitest';
import type { Condition, IPPool, VirtualMachine } from '../../api/index.ts';
import type { Cache, EventRecorder, KubeObject } from '@groundcrew/controller-runtime';
import { ConditionEvents } from './condition-events.ts';
import { aConfig, aLease, aPool } from './testing/builders.ts';

const VM: VirtualMachine = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { namespace: 'vms', name: 'web' },
  spec: { runStrategy: 'Manual', template: { spec: { domain: { devices: {} } } } },
};

function setUp(vms: readonly VirtualMachine[] = [VM]) {
  const told: string[] = [];
  const events = {
    event: ({ kind }: KubeObject, type: string, reason: string, message: string) =>
      told.push(`${kind} ${type} ${reason}: ${message}`),
  } as unknown as EventRecorder;
  const virtualMachines = { get: () => vms[0] } as unknown as Cache<VirtualMachine>;
  const pools = { get: () => aPool() } as unknown as Cache<IPPool>;
  return { told, events: new ConditionEvents(events, { virtualMachines, pools }) };
}

function allocated(reason: string): { conditions: Condition[] } {
  const status = reason === 'Allocated' ? 'True' : 'False';
  return { conditions: [{ type: 'Allocated', status, reason, message: 'What to do.', lastTransitionTime: '' }] };
}

it.each(['PoolExhausted', 'DuplicateMAC', 'AddressConflict'])('%s is an Event of the VM too', (reason) => {
  const { told, events } = setUp();
  events.turned(aConfig(), allocated(reason));
  const event = `Warning ${reason}: What to do.`;
  expect(told).toEqual([`VirtualMachineNetworkConfig ${event}`, `VirtualMachine ${event}`]);
});

it('the end of a problem is an Event of the VM too', () => {
  const { told, events } = setUp();
  events.turned({ ...aConfig(), status: allocated('PoolExhausted') }, allocated('Allocated'));
  expect(told).toContain('VirtualMachine Normal Allocated: What to do.');
});

it('an address that is given up is an Event of the VM too, which names the other machine', () => {
  const { told, events } = setUp();
  const lease = aLease('10.0.0.10', { status: { state: 'Declined', conflictingMAC: '52:54:00:00:00:99' } });
  events.released(aConfig(), [{ lease, why: 'Conflict' }]);
  expect(told.map((event) => event.split(':')[0])).toEqual([
    'VirtualMachineNetworkConfig Warning AddressConflict',
    'VirtualMachine Warning AddressConflict',
    'IPPool Warning AddressConflict',
  ]);
  expect(told[1]).toContain('another machine on the network (52:54:00:00:00:99) answers ARP requests for it');
});

it('a config without a VM has Events of its own', () => {
  const { told, events } = setUp([]);
  events.turned(aConfig(), allocated('PoolExhausted'));
  expect(told).toHaveLength(1);
});
