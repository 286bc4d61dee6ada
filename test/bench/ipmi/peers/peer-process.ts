import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freeUdpRange } from '../../../harness/free-port.ts';
import { ServerProcess } from '../../../harness/process.ts';
import type { SandboxBmc } from '../../../harness/sandbox/index.ts';
import type { Contender } from '../contender.ts';
import { firstAnswer } from '../first-answer.ts';

const PATIENCE = 10_000;
const ONE_TRY = 500;

/** Starts a BMC's program in a folder of its own, and resolves once it answers. Throws, with its output, if it does not. */
export async function startPeerProcess(
  name: Contender['name'],
  commandLine: (bmc: SandboxBmc, folder: string) => [command: string, ...args: string[]],
): Promise<Contender> {
  const bmc: SandboxBmc = {
    namespace: 'peers',
    name,
    virtualMachine: 'none',
    ipmi: { host: '127.0.0.1', port: await freeUdpRange(1) },
    username: 'admin',
    password: 'password',
  };
  const folder = mkdtempSync(join(tmpdir(), `groundcrew-bench-${name}-`));
  const [command, ...args] = commandLine(bmc, folder);
  const child = new ServerProcess({ command, args, cwd: folder, log: join(folder, 'output.log') });
  const close = async () => {
    await child.dispose();
    rmSync(folder, { recursive: true });
  };
  child.start();
  try {
    await child.waitUntil(async () => {
      await firstAnswer(bmc.ipmi.port, AbortSignal.timeout(ONE_TRY));
    }, PATIENCE);
  } catch (error) {
    await close();
    throw error;
  }
  return { name, bmc, close };
}
