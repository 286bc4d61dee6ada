import { execFile } from 'node:child_process';
import { findTool, howToInstall } from '../../tools/index.ts';
import type { SandboxBmc } from './start-sandbox.ts';

export interface IpmitoolOptions {
  username?: string;
  password?: string;
  /** Options before the command, for example `-v`, `-N 1`. */
  flags?: readonly string[];
}

export interface Answer {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs ipmitool against a BMC over RMCP+. Resolves for any exit code. */
export async function ipmitool(
  bmc: Pick<SandboxBmc, 'ipmi' | 'username' | 'password'>,
  command: string,
  options: IpmitoolOptions = {},
): Promise<Answer> {
  const program = findTool('ipmitool');
  if (program === undefined) throw new Error(`ipmitool is not on this machine; ${howToInstall('ipmitool')}`);
  const { username = bmc.username, password = bmc.password, flags = [] } = options;
  const access = ['-I', 'lanplus', '-H', bmc.ipmi.host, '-p', String(bmc.ipmi.port), '-U', username, '-P', password];
  return await new Promise((resolve) => {
    execFile(program, [...access, ...flags, ...command.split(' ')], { timeout: 60_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
  });
}
