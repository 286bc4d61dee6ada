import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { repository } from '../harness/repository.ts';

/** ms; the storm takes a fifth of it. */
const TIMEOUT = 240_000;

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

function fleet(...args: string[]): Promise<Run> {
  const command = [join(repository, 'test/bench/run.ts'), 'fleet', ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { timeout: TIMEOUT }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

it(
  'a hundred VMs of a shared agent are powered on or cycled at once while it is killed: each starts exactly once and has its lease',
  { timeout: TIMEOUT },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'groundcrew-fleet-test-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const report = join(folder, 'report.html');
    const { code, stdout, stderr } = await fleet(
      '--vms=100',
      '--cycled=33',
      '--boot-time=200ms',
      '--kill-agent',
      `--report=${report}`,
    );
    expect(stdout, stderr).toContain(
      'PASSED: 100 VMs, 0 errors, each started exactly once, 33 of them by a power cycle, each with its lease',
    );
    expect(stdout).toMatch(/BMCs that it served +100\n/);
    expect(stdout, stderr).not.toContain('not seen');
    expect(code).toBe(0);
    expect(readFileSync(report, 'utf8')).toContain('Provisioning storm: 100 VMs');
  },
);
