import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { imageEnvironment, imageNodeOptions } from '../../harness/container-image.ts';
import type { NodeRun } from '../bmc-agent.ts';

/** Loaded into the measured process. After SIGUSR2 it writes its memory, without a collection: what follows is measured too. */
const PROGRAM = `process.on('SIGUSR2', () => {
  require('node:fs').writeFileSync(process.env.BENCH_MEMORY_FILE, JSON.stringify(process.memoryUsage()));
});`;

const TIMEOUT = 60_000;

/** Asks a process for its `process.memoryUsage()`. */
export class NodeProbe {
  readonly #answer: string;
  /** Runs a process as in the image, with the probe. */
  readonly node: NodeRun;

  /** @param folder of the run */
  constructor(folder: string) {
    const script = join(folder, 'probe.cjs');
    writeFileSync(script, PROGRAM);
    this.#answer = join(folder, 'memory.json');
    const env = { ...imageEnvironment(), BENCH_MEMORY_FILE: this.#answer };
    this.node = { options: [...imageNodeOptions(), '--require', script], env };
  }

  /** @throws Error if the process does not answer */
  async read(pid: number): Promise<NodeJS.MemoryUsage> {
    rmSync(this.#answer, { force: true });
    process.kill(pid, 'SIGUSR2');
    for (let waited = 0; !existsSync(this.#answer); waited += 50) {
      if (waited > TIMEOUT) throw new Error('the process does not tell its memory');
      await pause(50);
    }
    await pause(50);
    return JSON.parse(readFileSync(this.#answer, 'utf8')) as NodeJS.MemoryUsage; // Written by the program.
  }
}
