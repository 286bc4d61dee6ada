import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortRange } from '../../../harness/free-port.ts';
import { ServerProcess } from '../../../harness/process.ts';
import type { BenchBmc, Contender } from '../contender.ts';
import { startContender } from '../start-contender.ts';

/** Starts a BMC's program in a folder of its own, and resolves once it answers. Throws, with its output, if it does not. */
export async function startPeerProcess(
  name: Contender['name'],
  commandLine: (bmc: BenchBmc, folder: string) => [command: string, ...args: string[]],
): Promise<Contender> {
  const bmc: BenchBmc = {
    namespace: 'peers',
    name,
    virtualMachine: 'none',
    ipmi: { host: '127.0.0.1', port: await freePortRange(1) },
    username: 'admin',
    password: 'password',
  };
  const folder = mkdtempSync(join(tmpdir(), `groundcrew-bench-${name}-`));
  const [command, ...args] = commandLine(bmc, folder);
  const process = new ServerProcess({ command, args, cwd: folder, log: join(folder, 'output.log') });
  const cleanUp = (): Promise<void> => {
    rmSync(folder, { recursive: true });
    return Promise.resolve();
  };
  return await startContender({ name, bmc, process, cleanUp });
}
