import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CachedWatch,
  EventRecorder,
  PODS,
  type Change,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Pod,
} from '../../kube/index.ts';
import { issueServerCertificate } from '../certificates/index.ts';
import type { Images } from './images.ts';
import { startLogServer } from './log-server.ts';
import { registerNode } from './node.ts';
import { PodAddresses } from './pod-addresses.ts';
import { PodWorker } from './pod-worker.ts';

export interface KubeletOptions {
  /** May do everything. */
  client: KubeClient;
  clock: Clock;
  random: (size: number) => Buffer;
  logger: Logger;
  /** What each image runs on this machine. */
  images: Images;
  /** Where pods reach the API server. */
  apiServer: { host: string; port: number; ca: string };
  /** Folder for pods' files and logs; what an earlier kubelet left there is removed. */
  directory: string;
  /** Default `sandbox`. */
  nodeName?: string;
  /** Milliseconds that pods' programs are given to end when the kubelet closes. Default 5,000. */
  closeGrace?: number;
}

export interface Kubelet {
  readonly nodeName: string;
  /** Ends all pods' programs; the pods stay in the API server. */
  close(): Promise<void>;
}

const HOST_IP = '127.0.0.1';

/** Starts a node whose pods are child processes; resolves when it is registered and has begun with its pods. */
export async function startKubelet(options: KubeletOptions): Promise<Kubelet> {
  const { client, clock, logger, images, apiServer, nodeName = 'sandbox', closeGrace = 5_000 } = options;
  const stop = new AbortController();
  const workers = new Map<string, { ref: ObjectRef; worker: PodWorker; podIp: string }>();
  const addresses = new PodAddresses();
  const events = new EventRecorder({ client, component: 'kubelet', instance: nodeName, clock, logger });
  const pods = new CachedWatch({ client, kind: PODS, fieldSelector: `spec.nodeName=${nodeName}`, clock, logger });
  const ending = new Set<Promise<void>>();

  const directory = join(options.directory, 'pods');
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const certificate = await issueServerCertificate({
    dnsNames: [nodeName, 'localhost'],
    addresses: [HOST_IP],
    now: clock.now(),
  });
  const logs = await startLogServer({
    host: HOST_IP,
    certificate: certificate.certificate,
    key: certificate.key,
    find: ({ namespace, name }, container, previous) => {
      const uid = pods.get({ namespace, name })?.metadata.uid ?? '';
      const worker = workers.get(uid)?.worker;
      if (worker === undefined) return 'NoPod';
      if (!worker.hasContainer(container)) return 'NoContainer';
      return worker.log(container, previous) ?? 'NoLog';
    },
    clock,
    logger,
  });
  await registerNode({ client, name: nodeName, hostIp: HOST_IP, kubeletPort: logs.port, now: clock.now() });

  const begin = (pod: Pod): void => {
    const uid = pod.metadata.uid ?? '';
    const podIp = addresses.allocate();
    const shared = { client, podIp, hostIp: HOST_IP, images, apiServer, events, clock, logger };
    const worker = new PodWorker({ ...shared, pod, directory: join(directory, uid) });
    workers.set(uid, { ref: pod.metadata, worker, podIp });
    worker.update(pod);
  };
  const forget = (pod: Pod): void => {
    const uid = pod.metadata.uid ?? '';
    const entry = workers.get(uid);
    if (entry === undefined) return;
    workers.delete(uid);
    const ended = entry.worker.forget().finally(() => {
      addresses.release(entry.podIp);
      ending.delete(ended);
    });
    ending.add(ended);
  };
  const onChange = ({ type, object }: Change<Pod>): void => {
    const worker = workers.get(object.metadata.uid ?? '')?.worker;
    if (type === 'deleted') forget(object);
    else if (worker !== undefined) worker.update(object);
    else if (!isOver(object)) begin(object);
  };

  const running = pods.run(stop.signal);
  const unsubscribe = pods.subscribe(onChange);
  await pods.synced();

  return {
    nodeName,
    async close() {
      unsubscribe();
      stop.abort();
      await running;
      await Promise.allSettled([...workers.values()].map(({ worker }) => worker.close(closeGrace)));
      await Promise.allSettled(ending);
      await events.flush();
      await logs.close();
    },
  };
}

/** A pod that has ended is not run again. One that is being deleted is taken up, to be removed. */
function isOver(pod: Pod): boolean {
  const ended = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  return ended && pod.metadata.deletionTimestamp === undefined;
}
