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
import { formerRun, type ContainerView, type FormerRun } from './container-state.ts';
import { findImage, launchOf, makeVolumes, type Container, type Image, type Images, type Volumes } from './launch.ts';
import { podStatusOf, PodStatusWriter } from './pod-status.ts';
import { keepServiceAccountFiles } from './service-account-files.ts';

export interface PodWorkerOptions {
  client: KubeClient;
  pod: Pod;
  podIp: string;
  hostIp: string;
  images: Images;
  apiServer: { host: string; port: number; ca: string };
  /** Folder of this pod. */
  directory: string;
  events: EventRecorder;
  clock: Clock;
  logger: Logger;
}

/** Seconds of grace for a pod that specifies none. */
const DEFAULT_GRACE = 30;
/** Milliseconds between attempts after a failure of the API server or the disk. */
const RETRY = 1000;

/** Runs one pod from the start of its containers until it is removed from the API server. */
export class PodWorker {
  readonly #options: PodWorkerOptions;
  readonly #seenAt: number;
  /** The containers whose image exists. */
  readonly #runners = new Map<string, ContainerRunner>();
  readonly #writer: PodStatusWriter;
  /** Aborted when the programs must end. */
  readonly #closed = new AbortController();
  /** Aborted when nothing more is written about the pod. */
  readonly #detached = new AbortController();
  readonly #running: Promise<void>;
  #pod: Pod;
  #volumes: Volumes = new Map();
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
    this.#writer = new PodStatusWriter({
      client,
      clock,
      logger,
      read: () => {
        const containers = this.#containers.map((container) => this.#viewOf(container));
        const view = { pod: this.#pod, containers, podIp, hostIp, seenAt: this.#seenAt, now: clock.now() };
        return { pod: this.#pod, status: podStatusOf(view) };
      },
    });
    if (this.#containers.some((container) => this.#formerRunOf(container) !== undefined)) {
      this.#event('Normal', 'SandboxChanged', 'Pod sandbox changed, it will be killed and re-created.');
    }
    this.#running = this.#run();
  }

  /** The log of a container's current or previous run. */
  log(container: string, previous: boolean): ContainerLog | undefined {
    return this.#runners.get(container)?.log(previous);
  }

  hasContainer(name: string): boolean {
    return this.#containers.some((container) => container.name === name);
  }

  /** Resolves when the status in the API server is current. */
  async announced(): Promise<void> {
    await this.#writer.settled();
  }

  /** Takes the changed pod; one with a deletionTimestamp is ended. */
  update(pod: Pod): void {
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp === undefined || this.#terminating) return;
    this.#terminating = true;
    this.#terminate().catch((error: unknown) => {
      this.#options.logger.error({ err: error, pod: pod.metadata.name }, 'the files of a pod could not be removed');
    });
  }

  /** The pod was removed from the API server: ends its programs, without a second grace period. */
  async forget(): Promise<void> {
    await this.close(this.#terminating ? 0 : this.#grace());
    await rm(this.#options.directory, { recursive: true, force: true });
  }

  /** Ends the programs within `grace` milliseconds, and leaves the pod in the API server unchanged. */
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
    for (const { name, image = '' } of this.#containers) {
      if (!this.#runners.has(name)) this.#event('Warning', 'Failed', this.#noSuchImage(image));
    }
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

  async #prepare(): Promise<void> {
    const { client, directory, podIp, apiServer, clock, logger } = this.#options;
    // As by Multus, before any container runs.
    const annotations = await attach(client, this.#pod, podIp);
    if (annotations !== undefined) {
      // The uid protects a later pod with the same name.
      await client.patch(PODS, refOf(this.#pod), 'merge', { metadata: { uid: this.#pod.metadata.uid, annotations } });
    }
    this.#volumes = await makeVolumes(this.#pod, join(directory, 'volumes'));
    const credentials = this.#serviceAccountDirectory();
    if (credentials === undefined) return;
    const files = { client, pod: this.#pod, directory: credentials, ca: apiServer.ca, clock, logger };
    await keepServiceAccountFiles(files, this.#closed.signal);
  }

  /** Undefined for the account `default`, which a server without controllers does not have. */
  #serviceAccountDirectory(): string | undefined {
    const { serviceAccountName = 'default', automountServiceAccountToken } = this.#pod.spec ?? {};
    if (serviceAccountName === 'default' || automountServiceAccountToken === false) return undefined;
    return join(this.#options.directory, 'serviceaccount');
  }

  #noSuchImage(image: string): string {
    return `the sandbox has no image ${image}; it has ${Object.keys(this.#options.images).join(', ')}`;
  }

  #runnerOf(container: Container, image: Image): ContainerRunner {
    const { podIp, directory, clock, pod, apiServer } = this.#options;
    const ports = (container.ports ?? []).flatMap(({ name, containerPort }) =>
      name === undefined ? [] : [[name, containerPort] as const],
    );
    return new ContainerRunner({
      container,
      podUid: pod.metadata.uid ?? '',
      podName: pod.metadata.name,
      former: this.#formerRunOf(container),
      target: { podIp, ports: new Map(ports) },
      directory: join(directory, 'containers', container.name),
      gracePeriod: () => this.#grace(),
      launch: () => {
        this.#event('Normal', 'Pulled', `Container image "${container.image ?? ''}" already present on machine`);
        const serviceAccountDirectory = this.#serviceAccountDirectory();
        const volumes = this.#volumes;
        return launchOf({ pod: this.#pod, container, image, podIp, apiServer, serviceAccountDirectory, volumes });
      },
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

  async #terminate(): Promise<void> {
    const { client, clock, logger, directory } = this.#options;
    await this.#stop(this.#grace());
    // Watchers see the last status before the deletion.
    this.#writer.changed();
    await this.#writer.settled();
    const { uid } = this.#pod.metadata;
    while (!this.#detached.signal.aborted) {
      try {
        await client.delete(PODS, refOf(this.#pod), { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { uid }) });
        break;
      } catch (error) {
        // The name belongs to another pod: this one is gone.
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

  #viewOf({ name, image = '' }: Container): ContainerView {
    return (
      this.#runners.get(name)?.view ?? {
        name,
        image,
        containerId: undefined,
        state: { type: 'waiting', reason: 'ErrImagePull', message: this.#noSuchImage(image) },
        lastState: undefined,
        restartCount: 0,
        started: false,
        ready: false,
        done: this.#closed.signal.aborted,
      }
    );
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#options.events.event(this.#pod, type, reason, message);
  }
}
