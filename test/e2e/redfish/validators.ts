import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PYTHON_FOLDER } from '../../tools/python-environment.ts';

/** The endpoint of the service under test. */
export interface Service {
  /** `https://127.0.0.1:6230` */
  url: string;
  username: string;
  /** The protocol validator searches error bodies for it, so it must not be a word that occurs there. */
  password: string;
}

export interface Finding {
  result: 'WARN' | 'FAIL' | 'NOT TESTED';
  /** URI and property, or the assertion of the protocol. */
  what: string;
  message: string;
}

/** The result of a validator, in the words of its own report. */
export interface Verdict {
  pass: number;
  warn: number;
  fail: number;
  notTested: number;
  findings: readonly Finding[];
}

/**
 * Runs DMTF's validators with the Python that contains them. They exit with 1 at a FAIL; the result comes from their
 * reports.
 */
export class Validators {
  readonly #python: string;
  readonly #service: Service;

  constructor(python: string, service: Service) {
    this.#python = python;
    this.#service = service;
  }

  /** @param csdl folder of the schemas; undefined: the validator downloads them */
  async service(csdl: string | undefined): Promise<Verdict> {
    return await this.#withFolder(async (folder) => {
      const schemas =
        csdl === undefined
          ? ['--schema_directory', join(folder, 'csdl')]
          : ['--schema_directory', csdl, '--skipschema'];
      const said = await this.#run('rf_service_validator', [...schemas, '--logdir', folder]);
      return await this.#readTable(said, folder);
    });
  }

  /** @param profile file of the profile, in one folder with the profiles that it requires */
  async interop(profile: string): Promise<Verdict> {
    return await this.#withFolder(async (folder) => {
      const said = await this.#run('rf_interop_validator', ['--logdir', folder, profile]);
      return await this.#readTable(said, folder);
    });
  }

  async protocol(): Promise<Verdict> {
    return await this.#withFolder(async (folder) => {
      const said = await this.#run('rf_protocol_validator', ['--no-cert-check', '--report-dir', folder]);
      return readProtocolReport(folder, said);
    });
  }

  async #withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
    const folder = mkdtempSync(join(tmpdir(), 'groundcrew-validator-'));
    try {
      return await work(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  async #run(program: string, args: readonly string[]): Promise<string> {
    const { url, username, password } = this.#service;
    return await run(join(dirname(this.#python), program), ['-u', username, '-p', password, '-r', url, ...args]);
  }

  /** The totals are in a table at the end of the output, the rest in a workbook. */
  async #readTable(said: string, folder: string): Promise<Verdict> {
    const row = /^\|\s+(\d+)\s+\|\s+(\d+)\s+\|\s+(\d+)\s+\|\s+(\d+)\s+\|$/m.exec(said);
    if (row === null) throw new Error(`the validator printed no result: ${said.slice(-2000)}`);
    const [pass = 0, warn = 0, fail = 0, notTested = 0] = row.slice(1).map(Number);
    const findings = JSON.parse(
      await run(this.#python, [join(PYTHON_FOLDER, 'redfish_findings.py'), folder]),
    ) as Finding[];
    return { pass, warn, fail, notTested, findings };
  }
}

const MINUTE = 60_000;

/** The complete output. A CA bundle in the environment would make the validator verify the certificate. */
async function run(program: string, args: readonly string[]): Promise<string> {
  const { REQUESTS_CA_BUNDLE: _bundle, CURL_CA_BUNDLE: _curl, ...env } = process.env;
  return await new Promise((resolve, reject) => {
    const options = { timeout: 5 * MINUTE, maxBuffer: 100_000_000, env: { ...env, NO_PROXY: '127.0.0.1' } };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null || error.code === 1) resolve(stdout);
      else reject(new Error(`${program}: ${error.message}\n${stderr.slice(-2000)}`));
    });
  });
}

/** Tab-separated: assertion, method, status, URI, result, message, requirement. */
function readProtocolReport(folder: string, said: string): Verdict {
  const file = readdirSync(folder).find((name) => name.endsWith('.tsv'));
  if (file === undefined) throw new Error(`the validator wrote no report: ${said.slice(-2000)}`);
  const rows = readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'));
  const of = (result: string): string[][] => rows.filter((row) => row[4] === result);
  const finding =
    (result: Finding['result']) =>
    (row: string[]): Finding => ({
      result,
      what: [row[0], row[1], row[3]].join(' ').trim(),
      message: row[5] ?? '',
    });
  return {
    pass: of('PASS').length,
    warn: of('WARN').length,
    fail: of('FAIL').length,
    notTested: of('NOT_TESTED').length,
    findings: [
      ...of('WARN').map(finding('WARN')),
      ...of('FAIL').map(finding('FAIL')),
      ...of('NOT_TESTED').map(finding('NOT TESTED')),
    ],
  };
}
