import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installLine } from './tools.ts';

describe('installLine', () => {
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
});
