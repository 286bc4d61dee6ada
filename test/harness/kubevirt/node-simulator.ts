import { randomBytes } from 'node:crypto';
import {
  CachedWatch,
  EventRecorder,
  NODES,
  PODS,
  sleep,
  systemClock,
  type KubeClient,
  type ObjectRef,
} from '@groundcrew/controller-runtime';
import type { GuestRequest, KubeVirt, KubeVirtOptions } from '@groundcrew/kubevirt-simulator/kubevirt';
import {
  DECLARATIVE_HOTPLUG,
  GuestHost,
  KUBEVIRTS,
  Nodes,
  VIRTUAL_MACHINE_INSTANCES,
  type KubeVirtResource,
} from '@groundcrew/kubevirt-simulator/node';
import { eventually } from '../eventually.ts';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import type { VirtHandlerIdentity } from './control-plane.ts';
import { KUBEVIRT_NAMESPACE } from './installation.ts';
import { Instances } from './instances.ts';
import { LauncherPods } from './launcher-pods.ts';
import { VirtHandlerServer } from './virt-handler-server.ts';

export interface NodeSimulatorOptions extends Omit<KubeVirtOptions, 'clock' | 'random' | 'logger'> {
  identity: VirtHandlerIdentity;
  /** A client with the identity of virt-handler on a node: its service account, with the node in the token. */
  clientOn: (node: string) => KubeClient;
  holdController: () => Promise<void>;
  resumeController: () => Promise<void>;
}

const NODE_NAMES = ['node01', 'node02'];
const KUBEVIRT = { namespace: KUBEVIRT_NAMESPACE, name: 'kubevirt' };
/** virt-controller treats a node as lost if its heartbeat is older than five minutes. */
const DAY = 24 * 60 * 60 * 1000;

/**
 * Simulates the nodes for the real KubeVirt: scheduler, kubelet, virt-handler and guests, without containers or a
 * hypervisor. It does not complete live migrations and does not simulate libvirt's errors.
 */
export async function startNodeSimulator(options: NodeSimulatorOptions): Promise<KubeVirt> {
  const { client, bootTime, shutdownTime = 500, nodeNames = NODE_NAMES, identity } = options;
  const shared = { client, clock: systemClock, logger: silentLogger };
  const stop = new AbortController();
  const nodes = new Nodes({ ...shared, names: nodeNames });
  const caches = new CachedWatch({ ...shared, kind: VIRTUAL_MACHINE_INSTANCES });
  const times = { bootTime, shutdownTime };
  const events = new EventRecorder({ ...shared, component: 'virt-handler' });
  const common = { ...shared, times, instances: caches, nodes };
  // One client per node, with its own kept-alive connections.
  const clients = new Map(nodeNames.map((name) => [name, options.clientOn(name)]));
  const clientOn = (node: string): KubeClient => clients.get(node) ?? client;
  const instances = new Instances({ ...common, clientOn, events, random: randomBytes });
  const pods = new LauncherPods({
    ...common,
    onLeaving: (ref, grace) => {
      instances.leave(ref, grace);
    },
  });
  const guests = new GuestHost({
    instances: caches,
    clock: systemClock,
    times,
    random: randomBytes,
    ...(options.guestNetwork === undefined ? {} : { guestNetwork: options.guestNetwork }),
    onEnd: (ref, fate) => instances.end(ref, fate),
    onAddress: (ref, name, address) => {
      instances.setAddress(ref, name, address);
    },
  });
  const onRequest = (request: GuestRequest, ref: ObjectRef): void => {
    guests.carryOut(request, ref);
    if (request === 'pause' || request === 'unpause') instances.setPaused(ref, request === 'pause');
    options.onGuestRequest?.(request, ref);
  };
  const handlers = new Map<string, VirtHandlerServer>();
  const listen = async (node: string): Promise<void> => {
    const address = addressOf(nodeNames, node);
    handlers.set(node, await VirtHandlerServer.start({ address, identity, instances: caches, guests, onRequest }));
  };
  await nodes.register();
  for (const name of nodeNames) {
    await listen(name);
    await setHeartbeat(client, name, Date.now() + DAY);
    await announceHandler(client, name, addressOf(nodeNames, name));
  }
  nodes.subscribe(() => {
    instances.enqueueAll();
    pods.enqueueAll();
  });
  const running = [caches.run(stop.signal)];
  await caches.synced();
  running.push(instances.run(stop.signal), pods.run(stop.signal), followConfiguration(client, stop.signal));
  const dismissGuests = guests.start();
  if (options.featureGates !== undefined) await openGates(client, options.featureGates);

  return {
    nodeNames,
    canMigrate: false,
    loseNode: async (name) => {
      await handlers.get(name)?.close();
      handlers.delete(name);
      await nodes.lose(name);
      await setHeartbeat(client, name, Date.now() - DAY);
    },
    recoverNode: async (name) => {
      if (!handlers.has(name)) await listen(name);
      await setHeartbeat(client, name, Date.now() + DAY);
      await nodes.recover(name);
    },
    holdController: () => {
      const held = options.holdController();
      return { resume: () => void held.then(() => options.resumeController()) };
    },
    powerOffGuest: (ref) => instances.end(ref, 'PoweredOff'),
    crashGuest: (ref) => instances.end(ref, 'Crashed'),
    async close() {
      if (options.featureGates !== undefined) await openGates(client, []);
      stop.abort();
      dismissGuests();
      await Promise.allSettled([...running, events.flush()]);
      for (const handler of handlers.values()) await handler.close();
      await Promise.all([...clients.values()].map((own) => own.close()));
      await nodes.deregister();
    },
  };
}

/** The virt-handler of each node has its own address, so that one can be stopped. */
function addressOf(nodeNames: readonly string[], node: string): string {
  return `127.0.0.${1 + nodeNames.indexOf(node)}`;
}

async function setHeartbeat(client: KubeClient, name: string, time: number): Promise<void> {
  const annotations = { 'kubevirt.io/heartbeat': new Date(time).toISOString().replace(/\.\d+/, '') };
  await client.patch(NODES, { name }, 'merge', { metadata: { annotations } });
}

/** Creates the pod by which virt-api finds virt-handler on a node. */
async function announceHandler(client: KubeClient, node: string, address: string): Promise<void> {
  const name = `virt-handler-${node}`;
  const ref = { namespace: KUBEVIRT_NAMESPACE, name };
  await client.delete(PODS, ref, { gracePeriodSeconds: 0 });
  await client.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...ref, labels: { 'kubevirt.io': 'virt-handler' } },
    spec: { nodeName: node, containers: [{ name: 'virt-handler', image: 'example.invalid/virt-handler' }] },
  });
  const conditions = [{ type: 'Ready', status: 'True' }];
  const status = { phase: 'Running', podIP: address, podIPs: [{ ip: address }], conditions };
  await client.patch(PODS, ref, 'merge', { status }, { subresource: 'status' });
}

async function openGates(client: KubeClient, featureGates: readonly string[]): Promise<void> {
  const developerConfiguration = { featureGates };
  const { metadata } = await client.patch(KUBEVIRTS, KUBEVIRT, 'merge', {
    spec: { configuration: { developerConfiguration } },
  });
  await eventually(async () => {
    const { status } = await client.get(KUBEVIRTS, KUBEVIRT);
    if (status?.observedGeneration !== metadata.generation) throw new Error('KubeVirt has not observed its gates');
  });
}

/**
 * Writes the observed generation into the status of the KubeVirt object, as virt-operator does. It writes it when
 * virt-api uses that generation, detected by whether virt-api accepts an empty CD-ROM drive.
 */
async function followConfiguration(client: KubeClient, signal: AbortSignal): Promise<void> {
  const configurations = new CachedWatch({ client, kind: KUBEVIRTS, clock: systemClock, logger: silentLogger });
  const acknowledge = async ({ metadata, spec, status }: KubeVirtResource): Promise<void> => {
    if (status?.observedGeneration === metadata.generation) return;
    const gates = spec?.configuration?.developerConfiguration?.featureGates ?? [];
    const opened = gates.includes(DECLARATIVE_HOTPLUG);
    for (let tries = 0; tries < 200 && (await takesEmptyDrive(client)) !== opened; tries += 1) {
      await sleep(systemClock, 25, signal);
    }
    await client.patch(
      KUBEVIRTS,
      metadata,
      'merge',
      { status: { observedGeneration: metadata.generation } },
      { subresource: 'status' },
    );
  };
  configurations.subscribe(({ type, object }) => {
    if (type !== 'deleted') acknowledge(object).catch(() => undefined); // The waiting caller reports the error.
  });
  await configurations.run(signal);
}

async function takesEmptyDrive(client: KubeClient): Promise<boolean> {
  const devices = { disks: [{ name: 'cd', cdrom: { bus: 'sata' } }] };
  const body = {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: { generateName: 'probe-' },
    spec: { runStrategy: 'Halted', template: { spec: { domain: { devices, memory: { guest: '64Mi' } } } } },
  };
  const path = '/apis/kubevirt.io/v1/namespaces/default/virtualmachines?dryRun=All';
  const headers = { 'content-type': 'application/json' };
  return await client.request({ method: 'POST', path, headers, body: JSON.stringify(body) }).then(
    () => true,
    () => false,
  );
}
