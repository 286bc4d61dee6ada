import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import {
  CachedWatch,
  EventRecorder,
  isNotFound,
  sleep,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import { GuestHost, screenConsole, screenshot, serialConsole } from '../console/index.ts';
import type { GuestNetwork, GuestNetworkOptions } from '../guest/index.ts';
import { FeatureGates, registerKubeVirt, Storage } from '../hotplug/index.ts';
import { InstanceController } from '../instances/index.ts';
import { Launchers } from '../instances/launchers.ts';
import type { RandomBytes } from './defaults.ts';
import { Nodes } from './nodes.ts';
import { MIGRATIONS, VIRTUAL_MACHINE_INSTANCES, VIRTUAL_MACHINES } from './objects.ts';
import { MigrationController } from '../instances/migration-controller.ts';
import { deregisterVirtApi, findAggregator, registerKinds, registerVirtApi, VIRT_API_NAME } from './registration.ts';
import { startVirtApi, type GuestRequest } from '../virt-api/index.ts';
import { VirtualMachineController } from '../virtual-machines/index.ts';

export interface KubeVirtOptions {
  /** A client with all permissions. Only its field manager can change the spec of an instance. */
  client: KubeClient;
  clock: Clock;
  random: RandomBytes;
  logger: Logger;
  /** Milliseconds from a start to Running. */
  bootTime: number;
  /** Milliseconds from the ACPI power button to power off. Default 500. */
  shutdownTime?: number;
  /** Milliseconds to copy the memory of a guest in a live migration. Default 500. */
  migrationTime?: number;
  /** Nodes that instances run on, and nothing else. Default `node01` and `node02`. */
  nodeNames?: readonly string[];
  /** Feature gates that a new KubeVirt object opens. Default none, as in a new KubeVirt 1.8. */
  featureGates?: readonly string[];
  /** Where virt-api listens. Default 127.0.0.1. */
  host?: string;
  /** Creates the DHCP clients of a guest with cards on VM networks; absent: nothing answers there. */
  guestNetwork?: (options: GuestNetworkOptions) => GuestNetwork;
  /** Called for actions of guests that no object shows, such as a reset. */
  onGuestRequest?: (request: GuestRequest, ref: ObjectRef) => void;
}

/** A KubeVirt without hypervisor: its API, its controllers, and guests that start, stop and crash. */
export interface KubeVirt {
  /** Powers a guest off from inside. Returns false if no guest is running. */
  powerOffGuest(ref: ObjectRef): boolean;
  /** Crashes a guest. Returns false if no guest is running. */
  crashGuest(ref: ObjectRef): boolean;
  readonly nodeNames: readonly string[];
  /** Whether live migrations complete; false for the simulated nodes of a real KubeVirt. */
  readonly canMigrate: boolean;
  /** Cuts the node off: nothing changes on it, it is unreachable and not ready. */
  loseNode(name: string): Promise<void>;
  recoverNode(name: string): Promise<void>;
  /** Stops virt-controller's work on VMs, as while it is restarted: requests stay queued until `resume` is called. */
  holdController(): { resume(): void };
  close(): Promise<void>;
}

/** Interval and number of attempts until the API server serves the new kinds, milliseconds. */
const POLL = 50;
const POLLS = 600;

/** Starts KubeVirt; resolves when VMs can be created. */
export async function startKubeVirt(options: KubeVirtOptions): Promise<KubeVirt> {
  const {
    client,
    clock,
    random,
    logger,
    bootTime,
    shutdownTime = 500,
    migrationTime = 500,
    nodeNames = ['node01', 'node02'],
    host = '127.0.0.1',
  } = options;
  const stop = new AbortController();
  const nodes = new Nodes({ client, names: nodeNames, clock });
  const [certificate, aggregator] = await Promise.all([
    issueServerCertificate({
      names: [VIRT_API_NAME, 'localhost', host],
      now: clock.now(),
    }),
    findAggregator(client),
    registerKinds({ client }),
    registerKubeVirt(client, clock, options.featureGates ?? []),
    nodes.register(),
  ]);
  const gates = new FeatureGates({ client, clock, logger });
  const storage = new Storage({ client, clock, logger });
  const instances = new CachedWatch({ client, kind: VIRTUAL_MACHINE_INSTANCES, clock, logger });
  const guests = new GuestHost({
    instances,
    clock,
    times: { bootTime, shutdownTime },
    random,
    ...(options.guestNetwork === undefined ? {} : { guestNetwork: options.guestNetwork }),
    onEnd: (ref, fate) => instanceController.end(ref, fate),
    onAddress: (ref, name, address) => {
      instanceController.setAddress(ref, name, address);
    },
  });
  const api = await startVirtApi({
    host,
    certificate: certificate.cert,
    key: certificate.key,
    aggregator,
    subresources: {
      client,
      nodes,
      now: () => clock.now(),
      podBinding: () => gates.podBinding,
      screenshot: (vmi) => screenshot(guests, vmi),
      onGuestRequest: (request, ref) => {
        logger.info({ request, namespace: ref.namespace, name: ref.name }, 'guest request carried out');
        guests.carryOut(request, ref);
        options.onGuestRequest?.(request, ref);
      },
    },
    sockets: {
      'virtualmachineinstances/console': serialConsole({ client, nodes }, guests),
      'virtualmachineinstances/vnc': screenConsole({ client, nodes }, guests),
    },
    admission: { client, random, gates, fieldManager: client.fieldManager },
    logger,
  });
  await Promise.all([registerVirtApi({ client, port: api.port, ca: certificate.ca }), served(options)]);

  const virtualMachines = new CachedWatch({ client, kind: VIRTUAL_MACHINES, clock, logger });
  const events = new EventRecorder({ client, component: 'virt-controller', clock, logger });
  const launchers = new Launchers({ client, instances, events, nodes, clock, logger });
  const shared = {
    client,
    virtualMachines,
    instances,
    storage,
    gates,
    launchers,
    nodes,
    events,
    clock,
    random,
    logger,
  };
  const instanceController = new InstanceController({ ...shared, times: { bootTime, shutdownTime } });
  const virtualMachineController = new VirtualMachineController(shared);
  const migrations = new CachedWatch({ client, kind: MIGRATIONS, clock, logger });
  const migrationController = new MigrationController({ ...shared, migrations, migrationTime });
  nodes.subscribe(() => {
    instanceController.enqueueAll();
    migrationController.enqueueAll();
  });
  gates.subscribe(() => {
    virtualMachineController.enqueueAll();
  });
  const caches = [virtualMachines, instances, launchers, migrations, storage, gates];
  const running = caches.map((cache) => cache.run(stop.signal));
  await Promise.all(caches.map((cache) => cache.synced()));
  for (const controller of [instanceController, virtualMachineController, migrationController]) {
    running.push(controller.run(stop.signal));
  }
  const dismissGuests = guests.start();

  return {
    nodeNames,
    canMigrate: true,
    loseNode: (name) => nodes.lose(name),
    recoverNode: (name) => nodes.recover(name),
    holdController: () => virtualMachineController.hold(),
    powerOffGuest: (ref) => instanceController.end(ref, 'PoweredOff'),
    crashGuest: (ref) => instanceController.end(ref, 'Crashed'),
    async close() {
      stop.abort();
      dismissGuests();
      await Promise.allSettled(running);
      await Promise.allSettled([events.flush(), nodes.deregister(), deregisterVirtApi({ client })]);
      await api.close();
    },
  };
}

/** Waits until the API server serves the new kinds. */
async function served({ client, clock }: KubeVirtOptions): Promise<void> {
  const never = new AbortController().signal;
  for (let poll = 1; ; poll += 1) {
    try {
      await client.list(VIRTUAL_MACHINES, { limit: 1 });
      await client.list(VIRTUAL_MACHINE_INSTANCES, { limit: 1 });
      await client.list(MIGRATIONS, { limit: 1 });
      return;
    } catch (error) {
      if (!isNotFound(error) || poll === POLLS) throw error;
      await sleep(clock, POLL, never);
    }
  }
}
