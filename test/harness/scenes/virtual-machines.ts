import type { KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import {
  VIRTUAL_MACHINE_INSTANCES,
  VIRTUAL_MACHINES,
  type VirtualMachine,
  type VirtualMachineInstance,
} from '../../../api/index.ts';
import { eventually, type Cluster, type HttpAnswer } from '../index.ts';

/** A VM and its instance, read one after the other. */
export interface Seen {
  vm: VirtualMachine;
  vmi: VirtualMachineInstance | undefined;
}

/** A running watch. */
export interface Watching {
  close(): Promise<void>;
}

/** KubeVirt's response if a concurrent write made its patch obsolete; the request had no effect. */
export const LOST =
  '500 InternalError: Internal error occurred: the server rejected our request due to an error in our request';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The VMs of one namespace, with one-line responses. */
export class VirtualMachines {
  readonly namespace: string;
  readonly #cluster: Cluster;

  constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster;
    this.namespace = namespace;
  }

  get #client(): KubeClient {
    return this.#cluster.client;
  }

  ref(name: string): Required<ObjectRef> {
    return { namespace: this.namespace, name };
  }

  /**
   * Creates a VM with a disk, an interface and no bootOrder. `spec` is merged into its spec, and `domain` into its
   * domain.
   */
  async create(name: string, spec: Record<string, unknown> = {}, template: TemplateChange = {}): Promise<string> {
    return await this.post('virtualmachines', {
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachine',
      metadata: { name },
      spec: { template: templateOf(template), ...spec },
    });
  }

  /** Creates a VM and resolves when it is stopped and has a status from KubeVirt. */
  async stopped(name: string, runStrategy = 'Manual', template: TemplateChange = {}): Promise<void> {
    await this.#mustCreate(name, { runStrategy }, template);
    await this.until(name, isOff);
  }

  /** Creates a VM and resolves when it is running and ready. */
  async running(name: string, runStrategy = 'Always', template: TemplateChange = {}): Promise<VirtualMachineInstance> {
    await this.#mustCreate(name, { runStrategy }, template);
    if (runStrategy === 'Manual') {
      await this.until(name, isOff);
      await this.put(`virtualmachines/${name}/start`);
    }
    return await this.untilRunning(name);
  }

  async #mustCreate(name: string, spec: Record<string, unknown>, template: TemplateChange): Promise<void> {
    const answer = await this.create(name, spec, template);
    if (answer !== '201') throw new Error(`the VM ${name} could not be created: ${answer}`);
  }

  /**
   * `PUT` of a subresource, such as `virtualmachines/m/start`. Repeated if a concurrent write of virt-controller made
   * it obsolete.
   */
  async put(path: string, body?: unknown): Promise<string> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.putOnce(path, body);
      if (answer !== LOST || tries === 20) return answer;
    }
  }

  putOnce(path: string, body?: unknown): Promise<string> {
    return this.subresource('PUT', path, body);
  }

  async subresource(method: Method, path: string, body?: unknown): Promise<string> {
    return lineOf(await this.answer(method, path, body));
  }

  answer(method: Method, path: string, body?: unknown): Promise<HttpAnswer> {
    const url = `/apis/subresources.kubevirt.io/v1/namespaces/${this.namespace}/${path}`;
    return this.#cluster.http(method, url, body === undefined ? {} : { body });
  }

  async post(plural: string, object: object): Promise<string> {
    return lineOf(await this.#cluster.http('POST', this.#path(plural), { body: object }));
  }

  async patch(path: string, type: 'merge' | 'json', body: unknown): Promise<string> {
    const contentType = `application/${type}-patch+json`;
    return lineOf(await this.#cluster.http('PATCH', this.#path(path), { body, contentType }));
  }

  async delete(path: string): Promise<string> {
    return lineOf(await this.#cluster.http('DELETE', this.#path(path)));
  }

  #path(path: string): string {
    return `/apis/kubevirt.io/v1/namespaces/${this.namespace}/${path}`;
  }

  async vm(name: string): Promise<VirtualMachine> {
    return await this.#client.get(VIRTUAL_MACHINES, this.ref(name));
  }

  async vmi(name: string): Promise<VirtualMachineInstance | undefined> {
    return await this.#client.find(VIRTUAL_MACHINE_INSTANCES, this.ref(name));
  }

  async see(name: string): Promise<Seen> {
    return { vm: await this.vm(name), vmi: await this.vmi(name) };
  }

  /** Reads the VM until it meets the condition. */
  async until(name: string, wanted: (seen: Seen) => boolean, timeout = 25_000): Promise<Seen> {
    return await eventually(
      async () => {
        const seen = await this.see(name);
        if (!wanted(seen)) throw new Error(`${name} is ${JSON.stringify([seen.vm.status, seen.vmi?.status])}`);
        return seen;
      },
      { timeout, interval: 20 },
    );
  }

  /** Reports each status of the VM, starting with its status when this resolves. */
  async watchStatus(name: string, listener: (status: string) => void): Promise<Watching> {
    const { resourceVersion } = (await this.#client.list(VIRTUAL_MACHINES, { namespace: this.namespace })).metadata;
    listener((await this.vm(name)).status?.printableStatus ?? '');
    const stop = new AbortController();
    const events = this.#client.watch(VIRTUAL_MACHINES, {
      namespace: this.namespace,
      fieldSelector: `metadata.name=${name}`,
      resourceVersion,
      timeoutSeconds: 60,
      signal: stop.signal,
    });
    const running = (async () => {
      for await (const event of events) {
        if (event.type === 'MODIFIED') listener(event.object.status?.printableStatus ?? '');
      }
    })().catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    return {
      close: async () => {
        stop.abort();
        await running;
      },
    };
  }

  /** Resolves when the guest is running and ready, in another instance than `than` if given. */
  async untilRunning(name: string, than?: VirtualMachineInstance): Promise<VirtualMachineInstance> {
    const { vmi } = await this.until(name, (seen) => isReady(seen) && seen.vmi?.metadata.uid !== than?.metadata.uid);
    if (vmi === undefined) throw new Error(`${name} runs without an instance`);
    return vmi;
  }
}

export function isOff({ vm, vmi }: Seen): boolean {
  return vm.status?.printableStatus === 'Stopped' && vm.status.created !== true && vmi === undefined && isIdle(vm);
}

export function isReady({ vm, vmi }: Seen): boolean {
  const running = vm.status?.printableStatus === 'Running' && vm.status.ready === true && isIdle(vm);
  return running && vmi?.status?.phase === 'Running' && vmi.metadata.deletionTimestamp === undefined;
}

function isIdle(vm: VirtualMachine): boolean {
  return (vm.status?.stateChangeRequests ?? []).length === 0;
}

/** Changes to the template: to its spec, its domain, and the first disk and interface. */
export interface TemplateChange {
  metadata?: object;
  spec?: object;
  domain?: object;
  disks?: object[];
  interfaces?: object[];
}

/** `disks` and `interfaces` are merged with the default ones, one by one. */
function templateOf(change: TemplateChange): object {
  const disks = [{ name: 'root', disk: { bus: 'virtio' } }];
  const interfaces = [{ name: 'default', masquerade: {} }];
  return {
    ...(change.metadata === undefined ? {} : { metadata: change.metadata }),
    spec: {
      domain: {
        devices: { disks: merged(disks, change.disks), interfaces: merged(interfaces, change.interfaces) },
        memory: { guest: '1Gi' },
        ...change.domain,
      },
      networks: [{ name: 'default', pod: {} }],
      volumes: [{ name: 'root', containerDisk: { image: 'example.invalid/d' } }],
      ...change.spec,
    },
  };
}

function merged(standard: object[], changes: object[] = []): object[] {
  const count = Math.max(standard.length, changes.length);
  return Array.from({ length: count }, (_, index) => ({ ...standard[index], ...changes[index] }));
}

/** `202`, `409 Conflict: …`, or the code and the text if it is not a Status. */
export function lineOf({ status, body }: HttpAnswer): string {
  if (status < 300 || body === undefined) return String(status);
  if (typeof body === 'string') return `${status} ${body}`;
  if (typeof body !== 'object' || body === null || !('message' in body)) return `${status} ${JSON.stringify(body)}`;
  const reason = 'reason' in body ? ` ${String(body.reason)}:` : '';
  return `${status}${reason} ${String(body.message)}`;
}
