import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from '../harness/repository.ts';

/** ms; a storm of 1,000 takes a third of it. */
const TIMEOUT = 600_000;

/** BMCs of one shared agent. */
const CAPACITY = 250;

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

it.concurrent.for([
  [100, 33],
  [1_000, 100],
] as const)(
  '%i VMs of shared agents are powered on, %i of them by a cycle, at once while one agent is killed: each starts exactly once and has its lease',
  { timeout: TIMEOUT },
  async ([vms, cycled], { onTestFinished }) => {
    const folder = mkdtempSync(join(tmpdir(), 'groundcrew-fleet-test-'));
    onTestFinished(() => {
      rmSync(folder, { recursive: true });
    });
    const report = join(folder, 'report.html');
    const { code, stdout, stderr } = await fleet(
      `--vms=${vms}`,
      `--cycled=${cycled}`,
      '--boot-time=200ms',
      '--kill-agent',
      `--report=${report}`,
    );
    expect(stdout, stderr).toContain(
      `PASSED: ${vms} VMs, 0 errors, each started exactly once, ${cycled} of them by a power cycle, each with its lease`,
    );
    expect(stdout).toMatch(new RegExp(`BMCs that it served +${Math.min(vms, CAPACITY)}\n`));
    expect(stdout).not.toContain('not seen');
    expect(code).toBe(0);
    expect(readFileSync(report, 'utf8')).toContain(`Provisioning storm: ${vms} VMs`);
  },
);
