import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findTool } from '../../../tools/index.ts';
import { repository } from '../../../harness/repository.ts';

/** The endpoint of any BMC. */
export interface Endpoint {
  host: string;
  port: number;
  username: string;
  password: string;
}

export interface LineOptions {
  /** Working directory of the line, also its HOME. */
  folder: string;
  /** ms until it is killed. */
  timeout: number;
  /** Additional ipmitool options; default none. */
  ipmitoolOptions?: string;
}

export interface Outcome {
  /** Undefined if it was killed at the timeout. */
  code: number | undefined;
  stdout: string;
  stderr: string;
}

/** The shell variables of a line in the table. */
function lineVariables(endpoint: Endpoint, options: LineOptions): Record<string, string> {
  const { host, port, username, password } = endpoint;
  const python = findTool('pyghmi') ?? 'python3';
  const script = (name: string): string => `${python} ${join(repository, 'test/tools/python', name)}`;
  const more = options.ipmitoolOptions === undefined ? '' : ` ${options.ipmitoolOptions}`;
  return {
    H: host,
    P: String(port),
    U: username,
    W: password,
    L: `-I lanplus -H ${host} -p ${port} -U ${username} -P ${password}${more}`,
    F: `-D LAN_2_0 -h ${host}:${port} -u ${username} -p ${password}`,
    PYGHMI: `${script('pyghmi_client.py')} ${host} ${port} ${username} ${password}`,
    PYGHMI_CONSOLE: `${script('pyghmi_console.py')} ${host} ${port} ${username} ${password}`,
    TERMINAL: script('terminal.py'),
    PASSWORD_FILE: join(options.folder, 'password'),
  };
}

/** Runs a line of the table against a BMC; resolves for any outcome. */
export async function runLine(command: string, endpoint: Endpoint, options: LineOptions): Promise<Outcome> {
  const { folder, timeout } = options;
  writeFileSync(join(folder, 'password'), endpoint.password);
  const path = [process.env['PATH'] ?? '', '/usr/sbin', '/sbin'].join(delimiter);
  // Generated passwords may contain shell patterns.
  const child = spawn('sh', ['-c', `set -f; ${command}`], {
    cwd: folder,
    env: { ...lineVariables(endpoint, options), PATH: path, HOME: folder, LC_ALL: 'C.UTF-8', TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => (said[stream] += text));
  }
  return await new Promise((resolve, reject) => {
    let isLate = false;
    const impatience = setTimeout(() => {
      isLate = true;
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    }, timeout);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(impatience);
      resolve({ ...said, code: isLate ? undefined : (code ?? -1) });
    });
  });
}
