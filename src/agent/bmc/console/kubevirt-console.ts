import { MachineError, type SerialConsole, type SerialLine } from '../../../protocols/machine/index.ts';

/** The serial console of a KubeVirt virtual machine (`virtualmachineinstances/console`). */
export class KubeVirtConsole implements SerialConsole {
  open(): Promise<SerialLine> {
    return Promise.reject(new MachineError('NotSupported', 'no serial console is served'));
  }
}
