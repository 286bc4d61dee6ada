import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isConflict,
  PODS,
  refOf,
  sleep,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type Pod,
} from '@groundcrew/controller-runtime';
import { attach, AttachmentError } from '../networks/index.ts';
import type { ContainerLog } from './container-log.ts';
import { ContainerRunner } from './container-runner.ts';
import type { ContainerState, ContainerView } from './container-state.ts';
import type { Container } from './environment.ts';
import { formerRun, type FormerRun } from './former-run.ts';
import { findImage, type Image, type Images } from './images.ts';
import { containerDirectory, prepareLaunch, type Launch } from './launch.ts';
import { podStatusOf, type PodStatus } from './pod-status.ts';
import { PodStatusWriter } from './pod-status-writer.ts';
import { keepServiceAccountFiles } from './service-account-files.ts';
import { makeVolumes, type Volumes } from './volumes.ts';

export interface PodWorkerOptions {
  client: KubeClient;
  pod: Pod;
  podIp: string;
  hostIp: string;
  images: Images;
  apiServer: { host: string; port: number; ca: string };
  /** Folder of this pod alone. */
  directory: string;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
}

/** Seconds that a pod which names none is given to end. */
const DEFAULT_GRACE = 30;
/** Milliseconds between attempts at what the API server, or the disk, did not let happen. */
const RETRY = 1000;
/** Milliseconds until a pull that failed reads as backed off. */
const PULL_BACK_OFF = 1000;

/** Runs one pod from its first container's start to its removal from the API server. */
export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #seenAt: number;
  /** Of the containers whose image is there. */
  readonly #runners = new Map<string, ContainerRunner>();
  readonly #writer: PodStatusWriter;
  /** The pod's programs are to end. */
  readonly #closed = new AbortController();
  /** The API server is not to hear of the pod any more. */
  readonly #detached = new AbortController();
  readonly #running: Promise<void>;
  #pod: Pod;
  #volumes: Volumes = new Map();
  #pullBackedOff = false;
  #terminating = false;

  constructor(options: PodWorkerOptions) {
    this.#options = options;
    this.#pod = options.pod;
    this.#seenAt = options.clock.now();
    for (const container of this.#containers) {
      const image = findImage(options.images, container.image ?? '');
      if (image !== undefined) this.#runners.set(container.name, this.#runnerOf(container, image));
    }
    const { client, clock, logger, podIp, hostIp } = options;
    const read = (): { pod: Pod; status: PodStatus } => ({
      pod: this.#pod,
      status: podStatusOf({
        pod: this.#pod,
        containers: this.#containers.map((container) => this.#viewOf(container)),
        podIp,
        hostIp,
        seenAt: this.#seenAt,
        now: clock.now(),
      }),
    });
    this.#writer = new PodStatusWriter({ client, clock, logger, read });
    if (this.#containers.some((container) => this.#formerRunOf(container) !== undefined)) {
      this.#event('Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
    }
    this.#running = this.#run();
  }

  /** The log of a container's present run, or of the one before it. */
  log(container: string, previous: boolean): ContainerLog | undefined {
    return this.#runners.get(container)?.log(previous);
  }

  hasContainer(name: string): boolean {
    return this.#containers.some((container) => container.name === name);
  }

  /** Resolves when the API server has what there is to say of the pod. */
  async announced(): Promise<void> {
    await this.#writer.settled();
  }

  /** Takes in the pod as it is now; one with a deletionTimestamp is ended. */
  update(pod: Pod): void {
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp === undefined || this.#terminating) return;
    this.#terminating = true;
    this.#terminate().catch((error: unknown) => {
      this.#options.logger.error({ err: error, pod: pod.metadata.name }, 'what a pod left could not be removed');
    });
  }

  /** The pod is gone from the API server: its programs go too, at once where they had been asked before. */
  async forget(): Promise<void> {
    this.#detached.abort();
    await this.#writer.stop();
    await this.#stop(this.#terminating ? 0 : this.#grace());
    await rm(this.#options.directory, { recursive: true, force: true });
  }

  /** Ends the programs, `grace` milliseconds at most, and leaves the pod in the API server as it is. */
  async close(grace: number): Promise<void> {
    this.#detached.abort();
    await this.#writer.stop();
    await this.#stop(grace);
  }

  get #containers(): readonly Container[] {
    return this.#pod.spec?.containers ?? [];
  }

  async #run(): Promise<void> {
    const { directory, logger, clock } = this.#options;
    for (const container of this.#containers) if (!this.#runners.has(container.name)) this.#reportPull(container);
    this.#writer.changed();
    while (!this.#closed.signal.aborted) {
      try {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        await this.#prepare();
        await Promise.all([...this.#runners.values()].map((runner) => runner.run()));
        return;
      } catch (error) {
        logger.warn({ err: error, pod: this.#pod.metadata.name }, 'a pod could not be prepared; trying again');
        this.#reportFailure(error);
        await sleep(clock, RETRY, this.#closed.signal);
      }
    }
  }

  #reportFailure(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (!(error instanceof AttachmentError)) {
      this.#event('Warning', 'FailedMount', text);
      return;
    }
    const { namespace = '', name, uid = '' } = this.#pod.metadata;
    const plugin = `plugin type="multus" name="multus-cni-network" failed (add): Multus: [${namespace}/${name}/${uid}]`;
    this.#event('Warning', 'FailedCreatePodSandBox', `Failed to create pod sandbox: ${plugin}: ${text}`);
  }

  /** As Multus does, before anything of the pod runs. */
  async #attach(): Promise<void> {
    const { client, podIp } = this.#options;
    const annotations = await attach(client, this.#pod, podIp);
    if (annotations === undefined) return;
    // With its uid, so that a pod of the same name that came after is left alone.
    await client.patch(PODS, refOf(this.#pod), 'merge', { metadata: { uid: this.#pod.metadata.uid, annotations } });
  }

  async #prepare(): Promise<void> {
    const { client, directory, apiServer, clock, logger } = this.#options;
    await this.#attach();
    this.#volumes = await makeVolumes(client, this.#pod, join(directory, 'volumes'));
    const credentials = this.#serviceAccountDirectory();
    if (credentials === undefined) return;
    const files = { client, pod: this.#pod, directory: credentials, ca: apiServer.ca, clock, logger };
    await keepServiceAccountFiles(files, this.#closed.signal);
  }

  /** A pod that names no account gets none: a server without controllers has no `default` to give. */
  #serviceAccountDirectory(): string | undefined {
    const { serviceAccountName = 'default', automountServiceAccountToken } = this.#pod.spec ?? {};
    if (serviceAccountName === 'default' || automountServiceAccountToken === false) return undefined;
    return join(this.#options.directory, 'serviceaccount');
  }

  #reportPull({ image = '' }: Container): void {
    this.#event('Warning', 'Failed', `Failed to pull image "${image}": ${this.#noSuchImage(image)}`);
    this.#event('Warning', 'Failed', 'Error: ErrImagePull');
    void sleep(this.#options.clock, PULL_BACK_OFF, this.#closed.signal).then(() => {
      if (this.#closed.signal.aborted) return;
      this.#pullBackedOff = true;
      this.#event('Normal', 'BackOff', `Back-off pulling image "${image}"`);
      this.#writer.changed();
    });
  }

  #noSuchImage(image: string): string {
    return `the sandbox has no image ${image}; it has ${Object.keys(this.#options.images).join(', ')}`;
  }

  #runnerOf(container: Container, image: Image): ContainerRunner {
    const { podIp, directory, clock, pod } = this.#options;
    const ports = (container.ports ?? []).flatMap(({ name, containerPort }) =>
      name === undefined ? [] : [[name, containerPort] as const],
    );
    return new ContainerRunner({
      container,
      podUid: pod.metadata.uid ?? '',
      podName: pod.metadata.name,
      restartPolicy: pod.spec?.restartPolicy ?? 'Always',
      former: this.#formerRunOf(container),
      target: { podIp, ports: new Map(ports) },
      directory: containerDirectory(directory, container),
      gracePeriod: () => this.#grace(),
      launch: () => this.#launch(container, image),
      clock,
      onChange: () => {
        this.#writer.changed();
      },
      onEvent: (type, reason, message) => {
        this.#event(type, reason, message);
      },
    });
  }

  #formerRunOf({ name }: Container): FormerRun | undefined {
    const statuses = this.#options.pod.status?.containerStatuses;
    return formerRun(
      statuses?.find((status) => status.name === name),
      this.#seenAt,
    );
  }

  async #launch(container: Container, image: Image): Promise<Launch> {
    const { client, podIp, hostIp, apiServer, directory } = this.#options;
    this.#event('Normal', 'Pulled', `Container image "${container.image ?? ''}" already present on machine`);
    return await prepareLaunch({
      client,
      pod: this.#pod,
      container,
      image,
      podIp,
      hostIp,
      apiServer,
      serviceAccountDirectory: this.#serviceAccountDirectory(),
      volumes: this.#volumes,
      directory: containerDirectory(directory, container),
    });
  }

  async #terminate(): Promise<void> {
    const { client, clock, logger, directory } = this.#options;
    await this.#stop(this.#grace());
    // The last status is to be seen before the pod goes.
    this.#writer.changed();
    await this.#writer.settled();
    const { uid } = this.#pod.metadata;
    while (!this.#detached.signal.aborted) {
      try {
        await client.delete(PODS, refOf(this.#pod), { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) });
        break;
      } catch (error) {
        // Another pod has the name: this one is gone.
        if (isConflict(error)) break;
        logger.warn({ err: error, pod: this.#pod.metadata.name }, 'a pod could not be removed; trying again');
        await sleep(clock, RETRY, this.#detached.signal);
      }
    }
    await rm(directory, { recursive: true, force: true });
  }

  async #stop(grace: number): Promise<void> {
    this.#closed.abort();
    await Promise.all([...this.#runners.values()].map((runner) => runner.stop(grace)));
    await this.#running;
  }

  /** Milliseconds. */
  #grace(): number {
    const { metadata, spec } = this.#pod;
    return (metadata.deletionGracePeriodSeconds ?? spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE) * 1000;
  }

  #viewOf(container: Container): ContainerView {
    const { name, image = '' } = container;
    const runner = this.#runners.get(name);
    if (runner !== undefined) return runner.view;
    const state: ContainerState = this.#pullBackedOff
      ? { type: 'waiting', reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` }
      : { type: 'waiting', reason: 'ErrImagePull', message: this.#noSuchImage(image) };
    return {
      name,
      image,
      containerId: undefined,
      state,
      lastState: undefined,
      restartCount: 0,
      started: false,
      ready: false,
      done: this.#closed.signal.aborted,
    };
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#options.events.event(this.#pod, type, reason, message);
  }
}
