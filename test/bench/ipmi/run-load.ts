import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LoadReport, LoadTask } from './programs/load-task.ts';

const PROGRAM = join(import.meta.dirname, 'programs/load.ts');
/** ms beyond the task's own time. */
const PATIENCE = 20_000;

/** Loads a BMC from a process of its own. @throws Error with what the program said */
export async function runLoad(task: LoadTask): Promise<LoadReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, JSON.stringify(task)], {
    timeout: task.duration + PATIENCE,
  });
  return JSON.parse(stdout) as LoadReport; // the program's own form
}
