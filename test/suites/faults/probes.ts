import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../../harness/index.ts';

/** The processes of a fleet that loaded test/harness/process-probe.ts. */
export class Probes {
  /** Options of Node that load the probe. */
  readonly nodeOptions: readonly string[];
  readonly #folder: string;

  /** @param folder for the sockets; its path is short, as those of UNIX sockets have to be */
  constructor(folder: string) {
    this.#folder = folder;
    const probe = pathToFileURL(join(repository, 'test/harness/process-probe.ts'));
    probe.searchParams.set('folder', folder);
    this.nodeOptions = ['--expose-gc', `--import=${probe.href}`];
  }

  /** Bytes in use after garbage collection, by process: `manager 1234`, `agent bmc 1235`. */
  async heaps(): Promise<Map<string, number>> {
    return new Map((await this.#askAll('heap')).map(([name, bytes]) => [name, Number(bytes)]));
  }

  /** Sets the system's time of all processes forward, or back if negative; 0: to the real time. */
  async setClocks(ahead: number): Promise<void> {
    await this.#askAll(`clock ${ahead}`);
  }

  async #askAll(command: string): Promise<(readonly [name: string, answer: string])[]> {
    const pids = readdirSync(this.#folder).map((file) => file.replace('.sock', ''));
    const answers = await Promise.all(
      pids.map(async (pid) => {
        const answer = await ask(join(this.#folder, `${pid}.sock`), command);
        return answer === undefined ? [] : [[`${roleOf(pid)} ${pid}`, answer] as const];
      }),
    );
    if (answers.flat().length === 0) throw new Error(`no process answers to ${command}`);
    return answers.flat();
  }
}

/** Undefined if the process has ended. */
async function ask(path: string, command: string): Promise<string | undefined> {
  return await new Promise((resolve) => {
    let text = '';
    const socket = connect(path, () => socket.write(command));
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      resolve(text === '' ? undefined : text);
    });
  });
}

function roleOf(pid: string): string {
  const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  return words.includes('manager') ? 'manager' : words.slice(words.indexOf('agent')).slice(0, 2).join(' ');
}
