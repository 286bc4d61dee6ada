import { execFile } from 'node:child_process';
import { persist, sendOnce, UnansweredError, type BmcAccess, type PowerClient } from './power-client.ts';

/** ms between two runs of the program. */
const PAUSE = 1_000;
const TIMEOUT = 60_000;

/** The real ipmitool, each command in a run of its own, as Ironic runs it. */
export class IpmitoolClient implements PowerClient {
  readonly tool = 'ipmitool';
  repeats = 0;
  readonly #program: string;
  readonly #bmc: BmcAccess;

  constructor(program: string, bmc: BmcAccess) {
    this.#program = program;
    this.#bmc = bmc;
  }

  async setPxe(): Promise<void> {
    await this.#run('chassis', 'bootdev', 'pxe');
  }

  async powerOn(): Promise<void> {
    await this.#run('chassis', 'power', 'on');
  }

  async powerCycle(wasCarriedOut: () => Promise<boolean>): Promise<void> {
    await this.#repeated(() => sendOnce(() => this.#once('chassis', 'power', 'cycle'), wasCarriedOut));
  }

  async isOn(): Promise<boolean> {
    return (await this.#run('chassis', 'power', 'status')).includes('is on');
  }

  async close(): Promise<void> {}

  async #run(...command: string[]): Promise<string> {
    return await this.#repeated(() => this.#once(...command));
  }

  async #once(...command: string[]): Promise<string> {
    const { ipmi, username, password } = this.#bmc;
    const access = ['-I', 'lanplus', '-H', ipmi.host, '-p', String(ipmi.port), '-U', username, '-E'];
    return await run(this.#program, [...access, ...command], { IPMI_PASSWORD: password });
  }

  async #repeated<T>(attempt: () => Promise<T>): Promise<T> {
    return await persist(attempt, PAUSE, () => {
      this.repeats += 1;
    });
  }
}

/** The real curl with Basic authentication, which verifies the BMC's certificate. */
export class CurlClient implements PowerClient {
  readonly tool = 'curl';
  repeats = 0;
  readonly #program: string;
  readonly #bmc: BmcAccess;
  /** File with the authority of BMCs. */
  readonly #ca: string;

  constructor(program: string, bmc: BmcAccess, ca: string) {
    this.#program = program;
    this.#bmc = bmc;
    this.#ca = ca;
  }

  async setPxe(): Promise<void> {
    await this.#run('', 'PATCH', { Boot: { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' } });
  }

  async powerOn(): Promise<void> {
    await this.#run('/Actions/ComputerSystem.Reset', 'POST', { ResetType: 'On' });
  }

  async powerCycle(wasCarriedOut: () => Promise<boolean>): Promise<void> {
    const content = { ResetType: 'ForceRestart' };
    const send = () => this.#once('/Actions/ComputerSystem.Reset', 'POST', content);
    await this.#repeated(() => sendOnce(send, wasCarriedOut));
  }

  async isOn(): Promise<boolean> {
    return (JSON.parse(await this.#run('', 'GET')) as { PowerState?: unknown }).PowerState === 'On';
  }

  async close(): Promise<void> {}

  async #run(path: string, method: string, content?: object): Promise<string> {
    return await this.#repeated(() => this.#once(path, method, content));
  }

  async #repeated<T>(attempt: () => Promise<T>): Promise<T> {
    return await persist(attempt, PAUSE, () => {
      this.repeats += 1;
    });
  }

  async #once(path: string, method: string, content?: object): Promise<string> {
    const { redfish, username, password } = this.#bmc;
    const args = [
      ...['--silent', '--show-error', '--fail-with-body', '--cacert', this.#ca, '--config', '-', '--request', method],
      ...(content === undefined
        ? []
        : ['--header', 'Content-Type: application/json', '--data', JSON.stringify(content)]),
      `https://${redfish.host}:${redfish.port}/redfish/v1/Systems/1${path}`,
    ];
    // On standard input, because other users of the machine can read command lines.
    const config = `user = "${username}:${password.replaceAll(/["\\]/g, String.raw`\$&`)}"\n`;
    return await run(this.#program, args, {}, config);
  }
}

/** Standard output. @throws UnansweredError with the standard error of a program that fails */
async function run(program: string, args: string[], env: NodeJS.ProcessEnv, input = ''): Promise<string> {
  return await new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT, env: { ...process.env, ...env } };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new UnansweredError(`${program}: ${stderr.trim()} ${stdout.trim()}`, { cause: error }));
    });
    child.stdin?.end(input);
  });
}
