import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installLine, ownCommand } from './tools.ts';

describe('what is on the path', () => {
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

  it('has nothing to say of a program that is there', () => {
    program('ipmitool');
    expect(installLine('ipmitool', folder, false)).toBeUndefined();
  });

  it("uses the machine's own package manager", () => {
    program('apt-get');
    expect(installLine('ipmitool', folder, false)).toBe('sudo apt-get install ipmitool');
    expect(installLine('kubectl', folder, true)).toBe('apt-get install kubernetes-client');
  });

  it('says what to do on a machine that it does not know', () => {
    expect(installLine('kubectl', folder, false)).toBe("install kubectl with your system's package manager");
  });

  it('is what a person types to run this program again', () => {
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
