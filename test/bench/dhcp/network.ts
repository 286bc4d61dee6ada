import { join } from 'node:path';
import { NetworkNamespace } from '../../harness/namespaces/index.ts';
import { SITE } from './addresses.ts';
import type { GeneratorReport, GeneratorTask } from './programs/generator.ts';

const GENERATOR = join(import.meta.dirname, 'programs/generator.ts');
/** ms after the end of the task. */
const GENERATOR_TIMEOUT = 30_000;

/** Two network namespaces and a cable between them: one for the server, one for the relay agent of the clients. */
export class BenchNetwork {
  readonly server = new NetworkNamespace();
  readonly clients = new NetworkNamespace();
  /** The network interface in each namespace. */
  readonly device = 'dhcp0';

  constructor() {
    const { server, clients, device } = this;
    server.ip('link', 'add', device, 'type', 'veth', 'peer', 'name', device, 'netns', clients.name);
    server.ip('addr', 'add', `${SITE.server}/${SITE.prefix}`, 'brd', '+', 'dev', device);
    clients.ip('addr', 'add', `${SITE.relay}/${SITE.prefix}`, 'brd', '+', 'dev', device);
    server.ip('link', 'set', device, 'up');
    clients.ip('link', 'set', device, 'up');
  }

  /** Runs the generator on the clients' side. */
  async exchange(task: GeneratorTask): Promise<GeneratorReport> {
    const args = [GENERATOR, JSON.stringify(task)];
    const output = await this.clients.run(process.execPath, args, { timeout: task.duration + GENERATOR_TIMEOUT });
    return JSON.parse(output) as GeneratorReport; // Written by the generator.
  }

  close(): void {
    this.server.close();
    this.clients.close();
  }
}
