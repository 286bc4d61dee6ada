import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { imageEnvironment } from '../../harness/container-image.ts';
import { freePorts } from '../../harness/free-port.ts';
import { ServerProcess } from '../../harness/process.ts';
import { requestCounts, type RequestCounts } from '../../harness/request-counts.ts';
import { applyManagerRbac } from '../../harness/rbac.ts';
import type { TestServer } from '../../harness/server.ts';
import { AGENT_IMAGE } from '../../harness/stand-ins.ts';
import { podEnvironment } from '../../harness/service-accounts.ts';
import { memoryOf, processorTimeOf } from '../facts.ts';

const READY_TIMEOUT = 300_000;

export interface ManagerFigures extends RequestCounts {
  /** ms */
  processorTime: number;
  /** MB */
  resident: number;
}

/** The manager as in a Pod: with the image's bundle, options and environment, the files of a service account, the chart's permissions. */
export class ImageManager {
  readonly #process: ServerProcess;
  readonly #metrics: string;
  /** When its process was started, by `performance.now()`. */
  readonly started: number;

  private constructor(process: ServerProcess, metrics: string, started: number) {
    this.#process = process;
    this.#metrics = metrics;
    this.started = started;
  }

  /**
   * @param command Node's options and the path of the bundle
   * @param options with further arguments, if any
   */
  static async start(
    server: TestServer,
    command: readonly string[],
    options: { namespace: string; watchNamespace: string; folder: string; args?: readonly string[] },
  ): Promise<ImageManager> {
    const { namespace, watchNamespace, folder } = options;
    const account = await applyManagerRbac(server, namespace);
    const directory = join(folder, 'manager');
    mkdirSync(folder);
    const pod = await podEnvironment(server, account, directory);
    const [health = 0, metrics = 0] = await freePorts(2);
    const child = new ServerProcess({
      command: process.execPath,
      args: [
        ...command,
        'manager',
        `--agent-image=${AGENT_IMAGE}`,
        `--namespace=${namespace}`,
        `--watch-namespace=${watchNamespace}`,
        `--health-address=127.0.0.1:${health}`,
        `--metrics-address=127.0.0.1:${metrics}`,
        ...(options.args ?? []),
      ],
      env: { ...imageEnvironment(), ...pod },
      log: join(directory, 'log'),
    });
    const started = performance.now();
    child.start();
    await child.waitUntil(async () => {
      const response = await fetch(`http://127.0.0.1:${health}/readyz`);
      if (!response.ok) throw new Error(`/readyz: ${response.status} ${await response.text()}`);
    }, READY_TIMEOUT);
    return new ImageManager(child, `http://127.0.0.1:${metrics}/metrics`, started);
  }

  /** Its `/metrics` are read once. */
  async figures(): Promise<ManagerFigures> {
    return {
      ...(await requestCounts(this.#metrics)),
      processorTime: this.processorTime,
      resident: memoryOf(this.#pid),
    };
  }

  /** ms */
  get processorTime(): number {
    return processorTimeOf(this.#pid);
  }

  get #pid(): number {
    const { pid } = this.#process;
    if (pid === undefined) throw new Error(`the manager has ended:\n${this.#process.logTail()}`);
    return pid;
  }

  async close(): Promise<void> {
    await this.#process.stop('SIGTERM');
    await this.#process.dispose();
  }
}
