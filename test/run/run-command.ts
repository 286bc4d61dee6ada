import { spawn, type SpawnOptions } from 'node:child_process';

/** Runs a command line without quotes; its program is searched on the PATH of `env`. Resolves for any exit code. */
export async function runCommand(
  command: string,
  options: Required<Pick<SpawnOptions, 'cwd' | 'env'>>,
): Promise<{ code: number | null; output: string }> {
  const [program = '', ...args] = command.split(' ');
  return await new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('error', (error) => {
      resolve({ code: 1, output: error.message });
    });
    child.once('close', (code) => {
      resolve({ code, output });
    });
  });
}
