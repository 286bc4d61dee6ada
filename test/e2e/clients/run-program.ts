import { execFile } from 'node:child_process';

export interface ProgramOutcome {
  /** 1 too where a signal ended it, as after its time. */
  code: number;
  stdout: string;
  stderr: string;
}

/** ms */
const TIMEOUT = 200_000;

/** Runs a client to its end, and resolves whatever comes of it. `env`: on top of this process's environment. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ProgramOutcome> {
  // A machine's own authorities and proxies are nothing to a BMC of the sandbox.
  const { REQUESTS_CA_BUNDLE: _bundle, CURL_CA_BUNDLE: _curl, SSL_CERT_FILE: _file, ...outer } = process.env;
  const options = { timeout: TIMEOUT, maxBuffer: 16 * 2 ** 20, env: { ...outer, NO_PROXY: '127.0.0.1', ...env } };
  return await new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr });
    });
  });
}
