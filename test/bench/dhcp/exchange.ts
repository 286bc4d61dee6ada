import { join } from 'node:path';
import type { BenchNetwork } from './bench-network.ts';
import type { GeneratorReport, GeneratorTask } from './programs/generator-task.ts';

const GENERATOR = join(import.meta.dirname, 'programs/generator.ts');
/** ms that it may take beyond its task. */
const PATIENCE = 30_000;

/** Has a generator make exchanges on the clients' side of the network. */
export async function exchange(network: BenchNetwork, task: GeneratorTask): Promise<GeneratorReport> {
  const args = [GENERATOR, JSON.stringify(task)];
  const printed = await network.clients.run(process.execPath, args, { timeout: task.duration + PATIENCE });
  // The generator's own form.
  return JSON.parse(printed) as GeneratorReport;
}
