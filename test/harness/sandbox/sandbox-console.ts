import type { WebSocket } from 'ws';
import { openConsole } from '../../../cli/console/run.ts';
import { clusterAccess } from '@groundcrew/controller-runtime/kubeconfig';
import { eventually } from '../eventually.ts';
import type { Sandbox } from './start-sandbox.ts';

/** A client on a VM's serial console. */
export class SandboxConsole {
  readonly #webSocket: WebSocket;
  #text = '';

  private constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket;
    webSocket.on('message', (data: Buffer) => (this.#text += data.toString('latin1')));
    webSocket.resume();
  }

  /** Opens the console as soon as the VM runs. */
  static async open({ kubeconfig }: Pick<Sandbox, 'kubeconfig'>, name: string): Promise<SandboxConsole> {
    const access = await clusterAccess(kubeconfig);
    return new SandboxConsole(await eventually(() => openConsole(access, { namespace: 'default', name })));
  }

  type(text: string): void {
    this.#webSocket.send(Buffer.from(text, 'latin1'));
  }

  /**
   * Resolves when the output matches `pattern`, with the text up to the end of the match. The next call starts after
   * it.
   */
  async until(pattern: RegExp): Promise<string> {
    return await eventually(
      () => {
        const match = pattern.exec(this.#text);
        if (match === null) throw new Error(`${String(pattern)} has not come: ${this.#text.slice(-2000)}`);
        const end = match.index + match[0].length;
        const seen = this.#text.slice(0, end);
        this.#text = this.#text.slice(end);
        return seen;
      },
      { timeout: 30_000 },
    );
  }

  close(): void {
    this.#webSocket.terminate();
  }
}
