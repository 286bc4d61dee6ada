import { describe, expect, it } from 'vitest';
import { powerStateOf } from './power-state.ts';
import { aVm, aVmi, beingDeleted } from './testing/builders.ts';
import type { StateChangeRequest } from './virtual-machine.ts';
import type { VirtualMachineInstancePhase } from './virtual-machine-instance.ts';

const start: StateChangeRequest = { action: 'Start' };
const stop: StateChangeRequest = { action: 'Stop', uid: 'vmi-1' };

describe('powerStateOf', () => {
  it('is Off without a VMI', () => {
    expect(powerStateOf(aVm(), undefined)).toBe('Off');
    expect(powerStateOf(undefined, undefined)).toBe('Off');
  });

  it('is PoweringOn as soon as a start is queued, before the VMI exists', () => {
    expect(powerStateOf(aVm({}, [start]), undefined)).toBe('PoweringOn');
  });

  it.each<VirtualMachineInstancePhase | undefined>([
    undefined,
    '',
    'Pending',
    'Scheduling',
    'Scheduled',
    'WaitingForSync',
  ])('is PoweringOn while the phase is %s', (phase) => {
    expect(powerStateOf(aVm(), aVmi(phase))).toBe('PoweringOn');
  });

  it('is On while the guest runs, with any readiness', () => {
    const vm = { ...aVm(), status: { ready: false, printableStatus: 'Stopped' } };
    expect(powerStateOf(vm, aVmi('Running'))).toBe('On');
  });

  it('is Paused while a running guest is paused', () => {
    const vmi = aVmi('Running');
    vmi.status = { phase: 'Running', conditions: [{ type: 'Paused', status: 'True' }] };
    expect(powerStateOf(aVm(), vmi)).toBe('Paused');
    vmi.status = { phase: 'Running', conditions: [{ type: 'Paused', status: 'False' }] };
    expect(powerStateOf(aVm(), vmi)).toBe('On');
  });

  it('ignores an outdated Paused condition of the VM', () => {
    const vm = { ...aVm(), status: { conditions: [{ type: 'Paused', status: 'True' as const }] } };
    expect(powerStateOf(vm, undefined)).toBe('Off');
  });

  it('is PoweringOff after a stop request and while the VMI is deleted', () => {
    expect(powerStateOf(aVm({}, [stop]), aVmi('Running'))).toBe('PoweringOff');
    expect(powerStateOf(aVm({}, [{ action: 'Stop' }]), aVmi('Running'))).toBe('PoweringOff');
    expect(powerStateOf(aVm(), beingDeleted(aVmi('Running')))).toBe('PoweringOff');
    expect(powerStateOf(aVm(), beingDeleted(aVmi('Scheduling')))).toBe('PoweringOff');
  });

  it('ignores a stop request for an earlier VMI', () => {
    expect(powerStateOf(aVm({}, [{ action: 'Stop', uid: 'vmi-0' }]), aVmi('Running'))).toBe('On');
  });

  it('changes from PoweringOff to PoweringOn during a restart', () => {
    expect(powerStateOf(aVm({}, [stop, start]), aVmi('Running'))).toBe('PoweringOff');
    expect(powerStateOf(aVm({}, [start]), aVmi('Succeeded'))).toBe('PoweringOn');
    expect(powerStateOf(aVm({}, [start]), undefined)).toBe('PoweringOn');
  });

  it.each<VirtualMachineInstancePhase>(['Succeeded', 'Failed'])('is Off once the guest has ended (%s)', (phase) => {
    expect(powerStateOf(aVm(), aVmi(phase))).toBe('Off');
    expect(powerStateOf(aVm(), beingDeleted(aVmi(phase)))).toBe('Off');
  });

  it('is On while the node does not answer, since the guest may still run', () => {
    expect(powerStateOf(aVm(), aVmi('Unknown'))).toBe('On');
  });
});
