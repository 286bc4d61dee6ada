import { describe, expect, it } from 'vitest';
import type { InstancePhase } from '../kubevirt/objects.ts';
import { StatusError } from '../kubevirt/status-error.ts';
import { aVmi } from '../testing/builders.ts';
import { afterGuestRequest, assertGuestTakes, type GuestRequest } from './guest-requests.ts';

function answer(request: GuestRequest, phase: InstancePhase, paused = false): string {
  const conditions = paused ? [{ type: 'Paused', status: 'True' as const }] : [];
  try {
    assertGuestTakes(request, aVmi(phase, { conditions }));
    return 'taken';
  } catch (error) {
    if (error instanceof StatusError) return `${error.body.code} ${error.message}`;
    throw error;
  }
}

const CONFLICT = '409 Operation cannot be fulfilled on virtualmachineinstance.kubevirt.io "m": ';

describe('requests to a guest', () => {
  it.each([
    ['pause', 'Running', false, 'taken'],
    ['pause', 'Running', true, `${CONFLICT}VMI is already paused`],
    ['pause', 'Scheduling', false, `${CONFLICT}VM is not running`],
    ['unpause', 'Running', true, 'taken'],
    ['unpause', 'Running', false, `${CONFLICT}VMI is not paused`],
    ['unpause', 'Scheduling', false, `${CONFLICT}VMI is not running`],
    ['softreboot', 'Running', false, 'taken'],
    ['softreboot', 'Running', true, `${CONFLICT}VMI is paused`],
    ['softreboot', 'Scheduling', false, `${CONFLICT}VM is not running`],
    ['reset', 'Running', false, 'taken'],
    ['reset', 'Running', true, 'taken'],
    [
      'reset',
      'Scheduling',
      false,
      '400 Failed to reset non-running VMI with phase Scheduling: Unable to connect to VirtualMachineInstance because phase is Scheduling instead of Running or Scheduled',
    ],
  ] as const)('%s while %s (paused: %s)', (request, phase, paused, expected) => {
    expect(answer(request, phase, paused)).toBe(expected);
  });

  it('pauses a probed guest only where the probe asks the guest agent', () => {
    const pause = (livenessProbe: object): void => {
      const vmi = aVmi('Running');
      assertGuestTakes('pause', { ...vmi, spec: { ...vmi.spec, livenessProbe } });
    };
    expect(() => {
      pause({ tcpSocket: { port: 22 } });
    }).toThrow(/is forbidden: Pausing VMIs with a non-GuestAgentPing LivenessProbe is not supported$/);
    expect(() => {
      pause({ guestAgentPing: {} });
    }).not.toThrow();
  });

  it('does not press a power button that is not wired', () => {
    const vmi = aVmi('Running');
    const domain = { ...vmi.spec.domain, features: { acpi: { enabled: false } } };
    expect(() => {
      assertGuestTakes('softreboot', { ...vmi, spec: { ...vmi.spec, domain } });
    }).toThrow(/nor the ACPI feature enabled/);
  });

  it('pause and unpause show in the conditions; reset shows nowhere', () => {
    const vmi = aVmi('Running');
    const paused = afterGuestRequest('pause', vmi, 0);
    expect(paused.status?.conditions).toMatchObject([{ type: 'Paused', status: 'True', reason: 'PausedByUser' }]);
    expect(afterGuestRequest('unpause', paused, 0).status?.conditions).toEqual([]);
    expect(afterGuestRequest('reset', vmi, 0)).toBe(vmi);
  });
});
