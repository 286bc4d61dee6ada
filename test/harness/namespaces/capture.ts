import { readFileSync } from 'node:fs';
import type { ServerProcess } from '../process.ts';
import { readDhcpFrame, type DhcpFrame } from './dhcp-frame.ts';
import type { NetworkNamespace } from './network-namespace.ts';
import { readPcap, type CapturedFrame } from './pcap.ts';

const START_TIMEOUT = 10_000;

/** Captures all frames on an interface with tcpdump. */
export class Capture {
  readonly #process: ServerProcess;
  readonly #file: string;

  private constructor(process: ServerProcess, file: string) {
    this.#process = process;
    this.#file = file;
  }

  /**
   * Resolves when the capture is running.
   *
   * @param file path of the capture; the log is written beside it
   */
  static async start(namespace: NetworkNamespace, device: string, file: string): Promise<Capture> {
    const log = `${file}.log`;
    const args = ['-i', device, '-U', '--immediate-mode', '-s', '0', '-Z', 'root', '-w', file];
    const process = namespace.process('tcpdump', args, { log });
    process.start();
    await process.waitUntil(() => {
      const isListening = process.logTail().includes('listening on');
      return isListening ? Promise.resolve() : Promise.reject(new Error('not listening yet'));
    }, START_TIMEOUT);
    return new Capture(process, file);
  }

  /** The frames captured so far. */
  frames(): CapturedFrame[] {
    return readPcap(readFileSync(this.#file));
  }

  /** The captured DHCP messages. */
  dhcp(): DhcpFrame[] {
    return this.frames().flatMap((frame) => readDhcpFrame(frame) ?? []);
  }

  async stop(): Promise<void> {
    await this.#process.stop('SIGINT');
    await this.#process.dispose();
  }
}
