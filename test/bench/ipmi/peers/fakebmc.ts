import { join } from 'node:path';
import type { Contender } from '../contender.ts';
import { startPeerProcess } from './peer-process.ts';
import { pythonEnvironment, PYTHON_FOLDER } from '../../../tools/python-environment.ts';

/** pyghmi's fakebmc, on the same code as VirtualBMC, in Python. */
export async function startFakebmc(log: (line: string) => void): Promise<Contender> {
  const python = await pythonEnvironment(log);
  const script = join(PYTHON_FOLDER, 'fakebmc.py');
  return await startPeerProcess('fakebmc', ({ ipmi, username, password }) => [
    python,
    script,
    String(ipmi.port),
    username,
    password,
  ]);
}
