import { execFile } from 'node:child_process';

export interface ProgramOutcome {
  /** Exit code; also 1 if a signal ended it, for example at the timeout. */
  code: number;
  stdout: string;
  stderr: string;
}

/** ms */
const TIMEOUT = 200_000;

/** Runs a client until it ends; resolves for any exit code. `env`: added to this process's environment. */
export async function runProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<ProgramOutcome> {
  // The CA certificates and proxies of the host do not apply to a BMC of the sandbox.
  const { REQUESTS_CA_BUNDLE: _bundle, CURL_CA_BUNDLE: _curl, SSL_CERT_FILE: _file, ...outer } = process.env;
  const options = { timeout: TIMEOUT, maxBuffer: 16 * 2 ** 20, env: { ...outer, NO_PROXY: '127.0.0.1', ...env } };
  return await new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr });
    });
  });
}
