import {
  CachedWatch,
  EventRecorder,
  isNotFound,
  sleep,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectRef,
} from '../../kube/index.ts';
import { issueServerCertificate } from '../certificates/index.ts';
import type { RandomBytes } from './firmware.ts';
import type { GuestRequest } from './guest-control.ts';
import { InstanceController } from './instance-controller.ts';
import { VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES } from './objects.ts';
import { deregisterVirtApi, findAggregator, registerKinds, registerVirtApi, VIRT_API_NAME } from './registration.ts';
import { startVirtApi } from './virt-api.ts';
import { VirtualMachineController } from './virtual-machine-controller.ts';

export interface KubeVirtOptions {
  /** May do everything; its field manager alone may change an instance's spec. */
  client: KubeClient;
  clock: Clock;
  random: RandomBytes;
  logger: Logger;
  /** Milliseconds from a start to Running. */
  bootTime: number;
  /** Milliseconds from the ACPI power button to power off. Default 500. */
  shutdownTime?: number;
  /** Node that instances run on. Default `sandbox`. */
  nodeName?: string;
  /** Where virt-api listens. Default 127.0.0.1. */
  host?: string;
  /** Told of what guests are made to do that no object shows, such as a reset. */
  onGuestRequest?: (request: GuestRequest, ref: ObjectRef) => void;
}

/** A KubeVirt without hypervisor: its API, its controllers, and guests that start, stop and crash. */
export interface KubeVirt {
  /** The guest powers itself off. Returns false where none runs. */
  powerOffGuest(ref: ObjectRef): boolean;
  /** The guest crashes. Returns false where none runs. */
  crashGuest(ref: ObjectRef): boolean;
  close(): Promise<void>;
}

/** Milliseconds between looks at whether the API server serves the kinds just registered, and how many. */
const POLL = 50;
const POLLS = 600;

/** Starts KubeVirt beside any API server; resolves when VMs can be created and are run. */
export async function startKubeVirt(options: KubeVirtOptions): Promise<KubeVirt> {
  const {
    client,
    clock,
    random,
    logger,
    bootTime,
    shutdownTime = 500,
    nodeName = 'sandbox',
    host = '127.0.0.1',
  } = options;
  const stop = new AbortController();
  const [certificate, aggregator] = await Promise.all([
    issueServerCertificate({
      dnsNames: [VIRT_API_NAME, 'localhost'],
      addresses: [host],
      now: clock.now(),
    }),
    findAggregator(client),
    registerKinds({ client }),
  ]);
  const api = await startVirtApi({
    host,
    certificate: certificate.cert,
    key: certificate.key,
    aggregator,
    subresources: {
      client,
      now: () => clock.now(),
      onGuestRequest: (request, ref) => {
        logger.info({ request, namespace: ref.namespace, name: ref.name }, 'guest request carried out');
        options.onGuestRequest?.(request, ref);
      },
    },
    admission: { random, fieldManager: client.fieldManager },
    logger,
  });
  await Promise.all([registerVirtApi({ client, port: api.port, ca: certificate.ca }), served(options)]);

  const virtualMachines = new CachedWatch({ client, kind: VIRTUAL_MACHINES, clock, logger });
  const instances = new CachedWatch({ client, kind: VIRTUAL_MACHINE_INSTANCES, clock, logger });
  const events = new EventRecorder({ client, component: 'virt-controller', clock, logger });
  const shared = { client, virtualMachines, instances, events, clock, random, logger };
  const instanceController = new InstanceController({ ...shared, times: { bootTime, shutdownTime }, nodeName });
  const running = [virtualMachines.run(stop.signal), instances.run(stop.signal)];
  await Promise.all([virtualMachines.synced(), instances.synced()]);
  running.push(instanceController.run(stop.signal), new VirtualMachineController(shared).run(stop.signal));

  return {
    powerOffGuest: (ref) => instanceController.end(ref, 'PoweredOff'),
    crashGuest: (ref) => instanceController.end(ref, 'Crashed'),
    async close() {
      stop.abort();
      await Promise.allSettled(running);
      await Promise.allSettled([events.flush(), deregisterVirtApi({ client })]);
      await api.close();
    },
  };
}

/** Waits until the API server serves the kinds, which takes it a moment after it has accepted them. */
async function served({ client, clock }: KubeVirtOptions): Promise<void> {
  const never = new AbortController().signal;
  for (let poll = 1; ; poll += 1) {
    try {
      await client.list(VIRTUAL_MACHINES, { limit: 1 });
      await client.list(VIRTUAL_MACHINE_INSTANCES, { limit: 1 });
      return;
    } catch (error) {
      if (!isNotFound(error) || poll === POLLS) throw error;
      await sleep(clock, POLL, never);
    }
  }
}
