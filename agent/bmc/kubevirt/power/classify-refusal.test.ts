import { describe, expect, it } from 'vitest';
import { ApiError, TransportError, type Status } from '@groundcrew/controller-runtime';
import { classifyRefusal, DECIDE_AGAIN } from './power-refusal.ts';

function answer(status: number, message: string): ApiError {
  const body: Status = { kind: 'Status', apiVersion: 'v1', code: status, message };
  return new ApiError('PUT …/start', status, body);
}

/** Recorded from virt-api 1.8.4 behind kube-apiserver 1.34. */
const DECIDED_AGAIN: [number, string][] = [
  [409, 'Operation cannot be fulfilled on virtualmachine.kubevirt.io "m": VM is already running'],
  [409, 'Operation cannot be fulfilled on virtualmachine.kubevirt.io "m": VM is not running'],
  [500, 'Internal error occurred: unable to complete request: stop/start already underway'],
  [500, 'Internal error occurred: the server rejected our request due to an error in our request'],
  [400, 'Failed to reset non-running VMI with phase Scheduling: Unable to connect to VirtualMachineInstance'],
  [404, 'virtualmachineinstance.kubevirt.io "m" not found'],
];

const TOLD: [number, string, string][] = [
  [403, 'virtualmachines.subresources.kubevirt.io "m" is forbidden', 'Forbidden'],
  [401, 'Unauthorized', 'Forbidden'],
  [403, 'forbidden: Pausing VMIs with LivenessProbe is currently not supported', 'NotSupported'],
  [500, 'Internal error occurred: dial tcp 127.0.0.1:34446: connect: connection refused', 'Unavailable'],
  [503, 'service unavailable', 'Unavailable'],
];

describe('the refusal of a power call', () => {
  it.each(DECIDED_AGAIN)('%d "%s" is decided again', (status, message) => {
    expect(classifyRefusal(answer(status, message))).toBe(DECIDE_AGAIN);
  });

  it.each(TOLD)('%d "%s" is %s', (status, message, code) => {
    expect(classifyRefusal(answer(status, message))).toMatchObject({ code });
  });

  it('is Unavailable where no answer came', () => {
    expect(classifyRefusal(new TransportError('ECONNREFUSED'))).toMatchObject({ code: 'Unavailable' });
  });

  it('is not made of a fault of ours', () => {
    expect(() => classifyRefusal(new TypeError('ours'))).toThrow('ours');
  });
});
