import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, systemClock, type Logger } from '../../kube/index.ts';
import { httpsTransport } from '../../kube/transport-https.ts';
import { createManager } from '../../manager/index.ts';
import {
  kubeconfigYaml,
  startCluster,
  sweepAbandoned,
  writePidFile,
  type BindFailure,
  type EmbeddedCluster,
} from '../../sandbox/index.ts';
import { createLogger } from '../logger.ts';
import type { Surroundings } from '../program.ts';
import { ownCrds } from './crds.ts';
import { awaitEndpoints, type Endpoint } from './endpoints.ts';
import { sandboxMachines } from './machines.ts';
import { createManifests, ManifestError, readManifests } from './manifests.ts';
import type { SandboxOptions } from './options.ts';
import { OutputFile, OutputFileError } from './output-file.ts';
import { busyPort, checkPort, PortError } from './ports.ts';
import { isReadyDocument, type ReadyDocument } from './ready.ts';
import { screen } from './screen.ts';
import { installLine, type Tool } from './tools.ts';

/** Image name under which the agents' Deployments run this very program. */
const IMAGE = 'groundcrew';

/** Milliseconds that the BMCs may take to come up before the screen says what ails them. */
const READY_TIMEOUT = 30_000;

/** Errors whose message says all that the person who started it can use. */
const FOR_PEOPLE = [PortError, ManifestError, OutputFileError];

/**
 * Runs the sandbox until a signal ends it, and removes all that it made.
 *
 * @returns the process's exit code
 */
export async function runSandbox(options: SandboxOptions, surroundings: Surroundings): Promise<number> {
  const stop = new AbortController();
  const onSignal = (): void => {
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  try {
    await using parts = new AsyncDisposableStack();
    await start(options, surroundings, parts, stop.signal);
    await aborted(stop.signal);
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    if (!(error instanceof Error && FOR_PEOPLE.some((kind) => error instanceof kind))) throw error;
    surroundings.stderr.write(`${error.message}\n`);
    return 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal);
  }
}

async function start(
  options: SandboxOptions,
  surroundings: Surroundings,
  parts: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<void> {
  await sweepAbandoned(tmpdir());
  const directory = await mkdtemp(join(tmpdir(), 'groundcrew-'));
  await writePidFile(directory);
  parts.defer(() => rm(directory, { recursive: true, force: true }));
  const kubeconfig = await OutputFile.prepare(
    options.kubeconfig ?? join(directory, 'kubeconfig'),
    '--kubeconfig',
    () => false,
  );
  const { readyFile } = options;
  const ready =
    readyFile === undefined ? undefined : await OutputFile.prepare(readyFile, '--ready-file', isReadyDocument);
  const [logger, manifests, crds] = await Promise.all([
    createLogger({ level: options.logLevel, format: options.logFormat, descriptor: 2 }),
    readManifests(options.filename),
    ownCrds(),
    checkPorts(options),
  ]);

  let taken: BindFailure | undefined;
  const cluster = await startCluster({
    apiPort: options.apiPort,
    bootTime: options.bootTime,
    images: { [IMAGE]: { command: [process.execPath, surroundings.program] } },
    directory,
    clock: systemClock,
    random: randomBytes,
    logger,
    onBindFailure: (failure) => {
      taken ??= failure;
    },
  });
  parts.defer(() => cluster.close());

  parts.defer(() => kubeconfig.remove());
  await kubeconfig.write(kubeconfigYaml({ ...cluster, contextName: 'groundcrew' }));

  await createManifests(cluster.client, crds);
  startManager(cluster, logger, parts);
  const machines = sandboxMachines(options.vms, options.ipmiPort).map((object) => ({ file: 'sandbox', object }));
  await createManifests(cluster.client, [...machines, ...manifests]);

  const endpoints = await awaitEndpoints(cluster, READY_TIMEOUT, signal);
  if (taken !== undefined) throw new PortError(busyPort(taken.protocol, taken.port, '--ipmi-port'));
  const document = readyDocument(kubeconfig.path, endpoints);
  surroundings.stdout.write(
    screen({
      document,
      seconds: process.uptime(),
      install: missingTools(surroundings),
      troubles: endpoints.flatMap(({ trouble }) => (trouble === undefined ? [] : [trouble])),
      colour: surroundings.stdout.isTTY === true && surroundings.env['NO_COLOR'] === undefined,
    }),
  );
  if (ready === undefined) return;
  parts.defer(() => ready.remove());
  await ready.write(`${JSON.stringify(document, undefined, 2)}
`);
}

async function checkPorts(options: SandboxOptions): Promise<void> {
  const ports = Array.from({ length: options.vms }, (_, index) => options.ipmiPort + index);
  await Promise.all(ports.map((port) => checkPort('udp', port, '--ipmi-port')));
  if (options.apiPort !== 0) await checkPort('tcp', options.apiPort, '--api-port');
}

function startManager(cluster: EmbeddedCluster, logger: Logger, parts: AsyncDisposableStack): void {
  const { server, ca, token } = cluster;
  const client = new KubeClient({
    transport: httpsTransport({ server, ca, token }),
    fieldManager: 'groundcrew-manager',
  });
  const stop = new AbortController();
  const manager = createManager({
    client,
    clock: systemClock,
    random: randomBytes,
    logger: logger.child({ part: 'manager' }),
    agentImage: IMAGE,
    namespace: 'groundcrew-system',
  });
  const ended = manager.run(stop.signal);
  parts.defer(async () => {
    stop.abort();
    await ended;
    await client.close();
  });
}

function readyDocument(kubeconfig: string, endpoints: readonly Endpoint[]): ReadyDocument {
  return { kubeconfig, bmcs: endpoints.flatMap(({ bmc }) => (bmc === undefined ? [] : [bmc])), pools: [] };
}

function missingTools({ env }: Surroundings): { tool: string; line: string }[] {
  const root = process.getuid?.() === 0;
  return (['ipmitool', 'kubectl'] as const satisfies Tool[]).flatMap((tool) => {
    const line = installLine(tool, env['PATH'], root);
    return line === undefined ? [] : [{ tool, line }];
  });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => {
    signal.addEventListener('abort', resolve, { once: true });
  });
}
