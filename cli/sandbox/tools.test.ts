import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installLine, ownCommand } from './tools.ts';

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
