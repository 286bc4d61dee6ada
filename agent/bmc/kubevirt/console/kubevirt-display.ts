import { type Display, type DisplayLine, MachineError } from '../../../../protocols/machine/index.ts';

/** The screen of a KubeVirt virtual machine. */
export class KubeVirtDisplay implements Display {
  isPresent(): boolean | undefined {
    return undefined;
  }

  open(): Promise<DisplayLine> {
    return Promise.reject(new MachineError('NotSupported', 'not yet'));
  }

  screenshot(): Promise<Buffer> {
    return Promise.reject(new MachineError('NotSupported', 'not yet'));
  }
}
