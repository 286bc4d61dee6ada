import { describe, expect, it } from 'vitest';
import { ApiError } from '@groundcrew/controller-runtime';
import { kubectlError } from './kubectl-error.ts';

function invalid(causes: { field: string; message: string }[]): ApiError {
  return new ApiError('POST /x', 422, {
    kind: 'Status',
    apiVersion: 'v1',
    reason: 'Invalid',
    message: 'the long form',
    details: { name: 'vm-1', kind: 'VirtualMachineBMC', causes },
  });
}

describe('kubectlError', () => {
  it('names the object and the field of one cause', () => {
    const error = invalid([{ field: 'spec.virtualMachineRef', message: 'Required value' }]);
    expect(kubectlError(error, 'doing')).toBe(
      'The VirtualMachineBMC "vm-1" is invalid: spec.virtualMachineRef: Required value',
    );
  });

  it('lists several causes', () => {
    const error = invalid([
      { field: 'spec.a', message: 'Required value' },
      { field: 'spec.b', message: 'Required value' },
    ]);
    expect(kubectlError(error, 'doing')).toBe(
      'The VirtualMachineBMC "vm-1" is invalid: \n* spec.a: Required value\n* spec.b: Required value',
    );
  });

  it('prefixes any other error with its reason', () => {
    const error = new ApiError('POST /x', 409, {
      kind: 'Status',
      apiVersion: 'v1',
      reason: 'AlreadyExists',
      message: 'vms "x" already exists',
    });
    expect(kubectlError(error, 'error when creating "f.yaml"')).toBe(
      'Error from server (AlreadyExists): error when creating "f.yaml": vms "x" already exists',
    );
  });
});
