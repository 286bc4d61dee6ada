import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { SandboxBmc } from '../../../harness/sandbox/index.ts';

/** A request and its response. */
export interface Exchange {
  method: string;
  url: string;
  /** The body of the request. */
  content: string;
  status: number;
  /** By lower-case name. */
  headers: ReadonlyMap<string, string>;
  body: string;
}

/** The used part of the HTTP Archive format. */
interface Archive {
  log: {
    entries: {
      request: { method: string; url: string; postData?: { text?: string } };
      response: { status: number; headers: { name: string; value: string }[]; content: { text?: string } };
    }[];
  };
}

/** Timeout in ms: several times the normal duration */
const TIMEOUT = 240_000;
/**
 * Excluded: the event stream, which does not end; the reset of the manager, which ends the agent (other tests cover it);
 * and single accounts, because a changed password of the account in use makes all later requests fail with 401. HEAD is
 * handled as GET.
 */
const EXCLUDED = [
  '--exclude-path=/redfish/v1/EventService/SSE',
  '--exclude-path-regex=/Manager\\.Reset$|/AccountService/Accounts/[{]',
  '--exclude-method=HEAD',
];

/**
 * Runs Schemathesis, which sends valid and invalid requests to each operation of a BMC's OpenAPI description, the same
 * ones in each run. Its own verdicts are ignored; returns all requests with their responses.
 *
 * @param python path of the Python that has Schemathesis
 */
export async function runSchemathesis(python: string, bmc: SandboxBmc): Promise<Exchange[]> {
  const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
  const { redfish, username, password } = bmc;
  try {
    const said = await run(join(dirname(python), 'schemathesis'), [
      'run',
      `${redfish}/redfish/v1/openapi.yaml`,
      `--auth=${username}:${password}`,
      '--tls-verify=false',
      '--phases=coverage,fuzzing',
      '--max-examples=2',
      '--generation-deterministic',
      '--no-shrink',
      '--continue-on-failure',
      '--checks=not_a_server_error',
      '--request-timeout=20',
      '--output-sanitize=false',
      '--no-color',
      '--report=har',
      `--report-har-path=${join(folder, 'har.json')}`,
      ...EXCLUDED,
    ]);
    const wrong = /^.*(Schema Error|Network Error|Internal Error|Runtime Error|Failed to load).*$/m.exec(said)?.[0];
    if (wrong !== undefined || !readdirSync(folder).includes('har.json'))
      throw new Error(`${wrong ?? ''}\n${said.slice(-4000)}`);
    const { log } = JSON.parse(readFileSync(join(folder, 'har.json'), 'utf8')) as Archive;
    return log.entries.map(({ request, response }) => ({
      method: request.method,
      url: request.url,
      content: request.postData?.text ?? '',
      status: response.status,
      headers: new Map(response.headers.map(({ name, value }) => [name.toLowerCase(), value])),
      body: response.content.text ?? '',
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the output; exit code 1 means findings and is not an error */
async function run(command: string, args: string[]): Promise<string> {
  return await new Promise((resolve) => {
    const options = { timeout: TIMEOUT, maxBuffer: 64 * 2 ** 20, cwd: tmpdir() };
    execFile(command, args, options, (_error, stdout, stderr) => {
      resolve(stdout + stderr);
    });
  });
}
