import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NetworkNamespace, type Lan } from '../../../harness/namespaces/index.ts';
import type { ServerProcess } from '../../../harness/process.ts';

/** A program that answers every HTTP request with 404: firmware prints the requested URL. */
const WEB = `require('node:http').createServer((_, answer) => { answer.writeHead(404).end(); }).listen(80)`;

/** Text that an iPXE script prints, so that the console shows that it was loaded and runs. */
export const BOOTED = 'groundcrew: booted over the network';

/** A machine that serves network boot: TFTP with dnsmasq, and HTTP. */
export class BootServer {
  readonly #namespace = new NetworkNamespace();
  readonly #processes: ServerProcess[];

  constructor(lan: Lan, address: string, folder: string) {
    const root = join(folder, 'tftp');
    mkdirSync(root);
    writeFileSync(join(root, 'boot.ipxe'), `#!ipxe\necho ${BOOTED}\nsleep 600\n`);
    // Not a program: firmware loads it and reports that it cannot run it.
    writeFileSync(join(root, 'boot.efi'), 'not a program');
    lan.attach(this.#namespace, { device: 'eth0', address: `${address}/16` });
    const tftp = ['-k', '--conf-file=/dev/null', '--port=0', '--user=root', '--enable-tftp', `--tftp-root=${root}`];
    this.#processes = [
      this.#namespace.process('dnsmasq', [...tftp, '--pid-file='], { log: join(folder, 'tftp.log') }),
      this.#namespace.process(process.execPath, ['-e', WEB], { log: join(folder, 'web.log') }),
    ];
    for (const child of this.#processes) child.start();
  }

  async close(): Promise<void> {
    for (const child of this.#processes) await child.dispose();
    this.#namespace.close();
  }
}
