import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePorts } from '../../harness/free-port.ts';
import { ServerProcess } from '../../harness/process.ts';
import { repository } from '../../harness/repository.ts';
import { findTool } from '../../tools/index.ts';
import { runProgram } from './run-program.ts';

/** ms */
const START_TIMEOUT = 120_000;
const POLL_INTERVAL = 250;
/** ms; a deployment waits for several actions of the machine. */
const STATE_TIMEOUT = 120_000;
/** The newest version of the API that the tests use. */
const API_VERSION = '1.90';

/** A node as Ironic's API shows it. */
export interface IronicNode {
  uuid: string;
  provision_state: string;
  power_state: string | null;
  target_power_state: string | null;
  boot_mode: string | null;
  secure_boot: boolean | null;
  properties: Record<string, unknown>;
  last_error: string | null;
}

/** The real Ironic with the configuration of docs/recipes/metal3.md, and the web server of its images. */
export class Ironic {
  readonly #process: ServerProcess;
  readonly #images: Server;
  readonly #folder: string;
  readonly #url: string;
  /** Folder of the images; Ironic publishes its own there. */
  readonly imageFolder: string;
  /** `http://127.0.0.1:<port>` of the images. */
  readonly imagesUrl: string;
  /** File of the CA that has to sign the certificates of Redfish services; the caller writes it. */
  readonly bmcAuthority: string;

  private constructor(process: ServerProcess, images: Server, folder: string, url: string) {
    this.#process = process;
    this.#images = images;
    this.#folder = folder;
    this.#url = url;
    this.imageFolder = join(folder, 'http');
    this.bmcAuthority = join(folder, 'bmc-ca.crt');
    this.imagesUrl = urlOf(images);
  }

  /** Needs the tool `ironic`. */
  static async start(): Promise<Ironic> {
    const folder = mkdtempSync(join(tmpdir(), 'groundcrew-ironic-'));
    const images = await serveFolder(join(folder, 'http'));
    const [port = 0] = await freePorts(1);
    const config = join(folder, 'ironic.conf');
    writeFileSync(config, configuration(folder, urlOf(images), port));
    const programs = dirname(findTool('ironic') ?? '');
    const created = await runProgram(join(programs, 'ironic-dbsync'), ['--config-file', config, 'create_schema']);
    if (created.code !== 0) throw new Error(created.stderr);
    const child = new ServerProcess({
      command: join(programs, 'ironic'),
      args: ['--config-file', config],
      log: join(folder, 'ironic.log'),
      env: { ...process.env, NO_PROXY: '127.0.0.1' },
    });
    child.start();
    const ironic = new Ironic(child, images, folder, `http://127.0.0.1:${port}/v1`);
    await child.waitUntil(async () => {
      const { drivers } = (await ironic.request('GET', '/drivers')) as { drivers: unknown[] };
      if (drivers.length < 2) throw new Error('the conductor has not registered its drivers');
    }, START_TIMEOUT);
    return ironic;
  }

  /** The JSON of the answer; undefined if it is empty. Throws for an error. */
  async request(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(this.#url + path, {
      method,
      headers: { 'content-type': 'application/json', 'x-openstack-ironic-api-version': API_VERSION },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  }

  async node(name: string): Promise<IronicNode> {
    return (await this.request('GET', `/nodes/${name}`)) as IronicNode;
  }

  /** Replaces or adds fields of a node, such as `instance_info/boot_iso`. */
  async set(name: string, values: Record<string, unknown>): Promise<void> {
    const patch = Object.entries(values).map(([path, value]) => ({ op: 'add', path: `/${path}`, value }));
    await this.request('PATCH', `/nodes/${name}`, patch);
  }

  /** Asks for a provision state, and waits for `state` without an error. */
  async provision(name: string, target: string, state: string, more: object = {}): Promise<IronicNode> {
    await this.request('PUT', `/nodes/${name}/states/provision`, { target, ...more });
    return await this.#until(name, (node) => node.provision_state === state);
  }

  /** Asks for a power action, and waits until Ironic has carried it out. */
  async power(name: string, target: string): Promise<string | null> {
    await this.request('PUT', `/nodes/${name}/states/power`, { target, timeout: 60 });
    const isDone = ({ target_power_state: wanted }: IronicNode) => wanted === null;
    return (await this.#until(name, isDone)).power_state;
  }

  async close(): Promise<void> {
    await this.#process.dispose();
    this.#images.closeAllConnections();
    this.#images.close();
    rmSync(this.#folder, { recursive: true });
  }

  async #until(name: string, isReached: (node: IronicNode) => boolean): Promise<IronicNode> {
    const deadline = Date.now() + STATE_TIMEOUT;
    for (;;) {
      const node = await this.node(name);
      if (isReached(node)) return node;
      if (node.last_error !== null || Date.now() > deadline) {
        throw new Error(
          `${name} is ${node.provision_state}: ${node.last_error ?? 'time-out'}\n${this.#process.logTail()}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL));
    }
  }
}

/** The first block of a language in docs/recipes/metal3.md. */
export function blockOfRecipe(language: 'ini' | 'yaml'): string {
  const page = readFileSync(join(repository, 'docs/recipes/metal3.md'), 'utf8');
  const block = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1];
  if (block === undefined) throw new Error(`docs/recipes/metal3.md has no ${language}`);
  return block;
}

/** The configuration of the document, with folders and addresses of the test. */
function configuration(folder: string, images: string, port: number): string {
  let text = blockOfRecipe('ini');
  const replacements = { '/var/lib/ironic': folder, 'http://192.0.2.10:8080': images, 'port = 6385': `port = ${port}` };
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`docs/recipes/metal3.md configures no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

function urlOf(server: Server): string {
  // address() returns null for a server that does not listen and a string for a pipe.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serveFolder(folder: string): Promise<Server> {
  mkdirSync(folder, { recursive: true });
  const server = createServer((request, response) => {
    const file = join(folder, new URL(request.url ?? '/', 'http://localhost').pathname);
    const size = statSync(file, { throwIfNoEntry: false })?.size;
    if (size === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-length': size });
    if (request.method === 'HEAD') response.end();
    else createReadStream(file).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
