import type { VirtualMachineInstance } from '../../kubevirt/objects.ts';
import type { GuestHost, SerialPort } from '../guest-host.ts';
import type { Viewer } from '../resident.ts';

/** Somebody at a console, and what they have seen. */
export class Reader implements Viewer {
  text = '';
  hasEnded = false;
  resumed = 0;
  #port: SerialPort | undefined;

  connect(host: GuestHost, vmi: VirtualMachineInstance): this {
    this.#port = host.connect(vmi, this);
    return this;
  }

  show(text: string): void {
    this.text += text;
  }

  resume(): void {
    this.resumed += 1;
  }

  end(): void {
    this.hasEnded = true;
  }

  type(text: string): void {
    this.text += this.#port?.type(text) ?? '';
  }

  leave(): void {
    this.#port?.release();
  }
}
