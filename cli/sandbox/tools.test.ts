import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installLine, ownCommand, kubectlError, quote } from './tools.ts';
import { ApiError } from '@groundcrew/controller-runtime';

describe('installLine and ownCommand', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'groundcrew-tools-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function program(name: string): void {
    writeFileSync(join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
  }

  it('returns undefined for a program that is installed', () => {
    program('ipmitool');
    expect(installLine('ipmitool', folder, false)).toBeUndefined();
  });

  it('uses the package manager of the machine', () => {
    program('apt-get');
    expect(installLine('ipmitool', folder, false)).toBe('sudo apt-get install ipmitool');
    expect(installLine('kubectl', folder, true)).toBe('apt-get install kubernetes-client');
  });

  it('has a fallback for an unknown package manager', () => {
    expect(installLine('kubectl', folder, false)).toBe("install kubectl with your system's package manager");
  });

  it('returns the command that runs this program again', () => {
    const node = '/usr/bin/node';
    const env = { PATH: folder };
    const far = { node, program: '/opt/groundcrew/main.js', env, folder: '/home/me' };
    expect(ownCommand(far)).toBe('/usr/bin/node /opt/groundcrew/main.js');
    expect(ownCommand({ ...far, program: '/home/me/src/main.ts' })).toBe('/usr/bin/node src/main.ts');
    expect(ownCommand({ ...far, env: { ...env, npm_lifecycle_event: 'start' } })).toBe('npm run -s groundcrew --');
    program('groundcrew');
    expect(ownCommand(far)).toBe('groundcrew');
  });
});

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

describe('quote', () => {
  it.each([
    ['plain-1.2/x', 'plain-1.2/x'],
    ['a b', "'a b'"],
    ["it's", `'it'\\''s'`],
    ['$HOME', "'$HOME'"],
    ['', "''"],
  ])('quotes %j as %j', (word, quoted) => {
    expect(quote(word)).toBe(quoted);
  });
});
