import { refOf, type Cache, type Change, type Listener, type ObjectRef } from '@groundcrew/controller-runtime';
import type { GuestHost } from '../console/guest-host.ts';
import type { ScreenPort, ScreenViewer, SerialPort, Viewer } from '../console/resident.ts';
import { VIRTUAL_MACHINE_INSTANCES, type VirtualMachineInstance } from '../kubevirt/objects.ts';

/** A viewer that records the output. */
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

/** A viewer of a screen that reads it after each change. */
export class Watcher implements ScreenViewer {
  /** The last line that is not empty. */
  line = '';
  hasEnded = false;
  port: ScreenPort | undefined;

  watch(host: GuestHost, vmi: VirtualMachineInstance): this {
    this.port = host.watch(vmi, this);
    this.changed();
    return this;
  }

  changed(): void {
    this.line = this.port?.screen.lines().findLast((line) => line !== '') ?? '';
  }

  end(): void {
    this.hasEnded = true;
  }
}

/** A cache with one object, which the test sets. */
export class ToldCache implements Cache<VirtualMachineInstance> {
  readonly kind = VIRTUAL_MACHINE_INSTANCES;
  readonly hasSynced = true;
  #object: VirtualMachineInstance | undefined;
  #listener: Listener<VirtualMachineInstance> | undefined;

  get(): VirtualMachineInstance | undefined {
    return this.#object;
  }

  list(): VirtualMachineInstance[] {
    return this.#object === undefined ? [] : [this.#object];
  }

  byIndex(): VirtualMachineInstance[] {
    return [];
  }

  refs(): ObjectRef[] {
    return this.list().map(refOf);
  }

  refsByIndex(): ObjectRef[] {
    return [];
  }

  subscribe(listener: Listener<VirtualMachineInstance>): () => void {
    for (const object of this.list()) listener({ type: 'added', object });
    this.#listener = listener;
    return () => {
      this.#listener = undefined;
    };
  }

  put(object: VirtualMachineInstance): void {
    const previous = this.#object;
    this.#object = object;
    this.#tell(previous === undefined ? { type: 'added', object } : { type: 'modified', object, previous });
  }

  delete(): void {
    const object = this.#object;
    this.#object = undefined;
    if (object !== undefined) this.#tell({ type: 'deleted', object });
  }

  #tell(change: Change<VirtualMachineInstance>): void {
    this.#listener?.(change);
  }
}
