import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority, issueCertificate, type KeyPair } from '@groundcrew/controller-runtime/certificates';
import type { KubeClient, ObjectRef } from '@groundcrew/controller-runtime';
import { findTool, howToInstall, type ToolName } from '../../tools/index.ts';
import { eventually } from '../eventually.ts';
import { freePorts } from '../free-port.ts';
import { tokenKubeconfig } from '../kubeconfig.ts';
import { ServerProcess } from '../process.ts';
import { serviceAccountToken } from '../service-accounts.ts';
import {
  installKubeVirt,
  registerWebhooks,
  VIRT_API_ACCOUNT,
  VIRT_CONTROLLER_ACCOUNT,
  type InstallationOptions,
} from './installation.ts';

/** The data that the node simulator needs to act as virt-handler for virt-api; JSON-serialisable. */
export interface VirtHandlerIdentity {
  /** Port of virt-handler, on the address of its pod on the node. */
  port: number;
  /** PEM of the CA that signs the certificates of KubeVirt's processes. */
  ca: string;
  /** Server certificate of virt-handler. */
  certificate: KeyPair;
}

export interface KubeVirtControlPlaneOptions {
  client: KubeClient;
  /** `https://127.0.0.1:<port>` */
  server: string;
  ca: string;
  folder: string;
}

const READY_TIMEOUT = 60_000;
/** Seconds. The processes read their token only once. */
const TOKEN_LIFETIME = 24 * 60 * 60;
const IMAGE = 'example.invalid/virt-launcher:v1.8.4';

/**
 * The real virt-api and virt-controller 1.8.4 with a real kube-apiserver and virt-operator's RBAC, CRDs and webhooks. A
 * node simulator replaces virt-handler, kubelet and libvirt.
 */
export class KubeVirtControlPlane {
  readonly handler: VirtHandlerIdentity;
  readonly #processes: RestartedProcess[];

  private constructor(handler: VirtHandlerIdentity, processes: RestartedProcess[]) {
    this.handler = handler;
    this.#processes = processes;
  }

  static async start(options: KubeVirtControlPlaneOptions): Promise<KubeVirtControlPlane> {
    const { client, folder } = options;
    const [apiPort = 0, handlerPort = 0, controllerPort = 0] = await freePorts(3);
    const certificates = await issueCertificates();
    const { ca } = certificates;
    const installation: InstallationOptions = { client, port: apiPort, ca };
    await installKubeVirt(installation);
    // Separate from the logs: the processes reload their certificates whenever a file in the folder changes.
    const keys = join(folder, 'kubevirt');
    mkdirSync(keys);
    const file = (name: string, content: string): string => {
      const path = join(keys, name);
      writeFileSync(path, content, { mode: 0o600 });
      return path;
    };
    const pair = (name: string, { cert, key }: KeyPair) => ({
      cert: file(`${name}.crt`, cert),
      key: file(`${name}.key`, key),
    });
    const kubeconfig = async (account: Required<ObjectRef>): Promise<string> =>
      file(
        `${account.name}.kubeconfig`,
        tokenKubeconfig(options, await serviceAccountToken(client, account, TOKEN_LIFETIME)),
      );
    const virtApi = pair('virt-api', certificates.virtApi);
    const handlerClient = pair('virt-handler-client', certificates.handlerClient);
    const controller = pair('virt-controller', certificates.virtController);
    const processes = [
      new RestartedProcess(folder, 'virt-api', [
        `--kubeconfig=${await kubeconfig(VIRT_API_ACCOUNT)}`,
        '--listen=127.0.0.1',
        `--port=${apiPort}`,
        `--console-server-port=${handlerPort}`,
        `--tls-cert-file=${virtApi.cert}`,
        `--tls-key-file=${virtApi.key}`,
        `--handler-cert-file=${handlerClient.cert}`,
        `--handler-key-file=${handlerClient.key}`,
      ]),
      new RestartedProcess(folder, 'virt-controller', [
        `--kubeconfig=${await kubeconfig(VIRT_CONTROLLER_ACCOUNT)}`,
        '--listen=127.0.0.1',
        `--port=${controllerPort}`,
        `--launcher-image=${IMAGE}`,
        `--exporter-image=${IMAGE}`,
        `--prom-cert-file=${controller.cert}`,
        `--prom-key-file=${controller.key}`,
      ]),
    ];
    const plane = new KubeVirtControlPlane({ port: handlerPort, ca, certificate: certificates.handler }, processes);
    try {
      await eventually(() => client.request({ method: 'GET', path: '/apis/subresources.kubevirt.io/v1/version' }), {
        timeout: READY_TIMEOUT,
        interval: 100,
      });
      await registerWebhooks(installation);
    } catch (error) {
      const logs = processes.map((process) => process.logTail()).join('\n');
      await plane.close();
      throw new Error(`KubeVirt does not answer\n${logs}`, { cause: error });
    }
    return plane;
  }

  /** Pauses the virt-controller process, as on an overloaded node; `resume` continues it. */
  holdController(): void {
    this.#processes[1]?.signal('SIGSTOP');
  }

  resumeController(): void {
    this.#processes[1]?.signal('SIGCONT');
  }

  async close(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.close()));
  }
}

/** A process that is restarted when it ends, as by a kubelet: virt-controller exits when it loses its Lease. */
class RestartedProcess {
  readonly #process: ServerProcess;
  readonly #running: Promise<void>;
  #isClosing = false;

  constructor(folder: string, name: ToolName, args: string[]) {
    const command = findTool(name);
    if (command === undefined) throw new Error(`${name} is not on this machine; ${howToInstall(name)}`);
    this.#process = new ServerProcess({ command, args, log: join(folder, `${name}.log`) });
    this.#running = this.#run();
  }

  signal(signal: NodeJS.Signals): void {
    const { pid } = this.#process;
    if (pid !== undefined) process.kill(pid, signal);
  }

  logTail(): string {
    return this.#process.logTail();
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#process.dispose();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#isClosing) {
      this.#process.start();
      await this.#process.ended();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

interface Certificates {
  ca: string;
  virtApi: KeyPair;
  virtController: KeyPair;
  handler: KeyPair;
  handlerClient: KeyPair;
}

/** Certificates with the common names that KubeVirt's processes expect. */
async function issueCertificates(): Promise<Certificates> {
  const now = Date.now();
  const authority = await createAuthority({ subject: 'CN=kubevirt.io', now });
  const server = (subject: string, names: string[]) =>
    issueCertificate(authority, { subject, usage: 'server', names: [...names, '127.0.0.1'], now });
  return {
    ca: authority.cert,
    virtApi: await server('CN=virt-api.kubevirt.pod.cluster.local', ['virt-api.kubevirt.svc', 'localhost']),
    virtController: await server('CN=virt-controller.kubevirt.pod.cluster.local', ['localhost']),
    handler: await server('CN=kubevirt.io:system:node:virt-handler', ['localhost']),
    handlerClient: await issueCertificate(authority, {
      subject: 'CN=kubevirt.io:system:client:virt-handler',
      usage: 'client',
      now,
    }),
  };
}
