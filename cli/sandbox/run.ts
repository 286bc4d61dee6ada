import { randomBytes } from 'node:crypto';
import { aborted, ApiError, systemClock } from '@groundcrew/controller-runtime';
import { kubeconfigYaml, StorageError } from '@groundcrew/apiserver';
import { startCluster, type BindFailure } from '@groundcrew/kubevirt-simulator';
import { createLogger } from '../logger.ts';
import { wantsColour } from '../paint.ts';
import type { Dependencies } from '../program.ts';
import { installCrds, ownCrds, contradictions, seedCluster } from './seed-cluster.ts';
import { DataFolderError } from './data-folder.ts';
import { writePidFile } from './sweep-abandoned.ts';
import { agentImage } from './agent-image.ts';
import { awaitEndpoints } from './endpoints.ts';
import { openHome, prepareKubeconfig, type Home } from './home.ts';
import { DhcpGuestNetwork } from './guest-network/index.ts';
import { IMAGE, startManager, writeAuthority } from './manager.ts';
import { ManifestError, readManifests } from './manifests.ts';
import type { OriginOption, SandboxOptions } from './options.ts';
import { OutputFile, OutputFileError } from './output-file.ts';
import { servePage } from './page.ts';
import { busyPort, checkPort, PortError } from './ports.ts';
import { Progress, screen } from './screen.ts';
import { isReadyDocument, type ReadyDocument } from './until-settled.ts';
import { installLine, ownCommand, type Tool } from './tools.ts';

/** Milliseconds to wait until BMCs and pools are ready. After that the screen shows their problems. */
const READY_TIMEOUT = 30_000;

/** Errors whose message is shown to the user without a stack trace. */
const FOR_PEOPLE = [PortError, ManifestError, OutputFileError, DataFolderError, StorageError];

/**
 * Runs the sandbox until a signal stops it, then removes everything that is not kept.
 *
 * @param isGiven whether an option is set on the command line
 * @returns the exit code of the process
 */
export async function runSandbox(
  options: SandboxOptions,
  isGiven: (option: OriginOption) => boolean,
  dependencies: Dependencies,
): Promise<number> {
  const stop = new AbortController();
  const progress = new Progress(dependencies.stderr);
  const onSignal = (): void => {
    progress.end();
    if (!stop.signal.aborted) dependencies.stderr.write('Stopping the sandbox.\n');
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  try {
    await using parts = new AsyncDisposableStack();
    await start(options, isGiven, { ...dependencies, progress }, parts, stop.signal);
    await aborted(stop.signal);
    return 0;
  } catch (error) {
    progress.end();
    if (stop.signal.aborted) return 0;
    const sentence = sentenceOf(error);
    if (sentence === undefined) throw error;
    dependencies.stderr.write(`${sentence}\n`);
    return 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal);
  }
}

/** The message of an error that the user can act on; undefined for internal errors. */
function sentenceOf(error: unknown): string | undefined {
  if (error instanceof ApiError && error.serverMessage.startsWith('etcdserver: mvcc: database space exceeded')) {
    return '--data-dir: the disk is full. Make room on it, or choose another folder.';
  }
  return error instanceof Error && FOR_PEOPLE.some((kind) => error instanceof kind) ? error.message : undefined;
}

async function start(
  options: SandboxOptions,
  isGiven: (option: OriginOption) => boolean,
  dependencies: Dependencies & { progress: Progress },
  parts: AsyncDisposableStack,
  signal: AbortSignal,
): Promise<void> {
  const home = await openHome(options.dataDir, parts);
  const notes = contradictions(options, isGiven, home.data?.origin);
  const kubeconfig = await prepareKubeconfig(options.kubeconfig, home);
  const { readyFile } = options;
  const ready =
    readyFile === undefined ? undefined : await OutputFile.prepare(readyFile, '--ready-file', isReadyDocument);
  const [logger, manifests, crds] = await Promise.all([
    createLogger({ level: options.logLevel, format: options.logFormat, descriptor: 2 }),
    readManifests(options.filename),
    ownCrds(),
    checkPorts(options, home),
  ]);

  const { progress } = dependencies;
  progress.show('Starting the API server and the simulated KubeVirt …');
  let taken: BindFailure | undefined;
  const cluster = await startCluster({
    apiPort: options.apiPort,
    bootTime: options.bootTime,
    images: { [IMAGE]: agentImage(dependencies.program) },
    directory: home.directory,
    connectGuests: (virtualSwitch) => (options) => new DhcpGuestNetwork(virtualSwitch, options),
    keep: home.data !== undefined,
    clock: systemClock,
    random: randomBytes,
    logger,
    onBindFailure: (failure) => {
      taken ??= failure;
    },
  }).catch(sayPort);
  parts.defer(() => cluster.close());

  parts.defer(() => kubeconfig.remove());
  await kubeconfig.write(kubeconfigYaml({ ...cluster, contextName: 'groundcrew' }));
  await writePidFile(home.announce, { kubeconfig: kubeconfig.path });

  progress.show('Starting the manager …');
  await installCrds(cluster.client, crds);
  const { isAsked } = await startManager(cluster, logger, parts);
  const isBack = home.data?.origin !== undefined;
  await seedCluster({ client: cluster.client, options, manifests, data: home.data, admissionReady: isAsked });

  const waiting = awaitEndpoints(cluster, {
    timeout: READY_TIMEOUT,
    signal,
    logger,
    onProgress: (ready, all) => {
      progress.show(`Waiting for the agents of BMCs and IP pools: ${ready} of ${all} ready …`);
    },
  });
  const [endpoints] = await Promise.all([waiting, isAsked]);
  if (taken !== undefined)
    throw new PortError(isBack ? lostPort(taken) : busyPort(taken.protocol, taken.port, '--ipmi-port'));
  const { bmcs, pools, addresses, troubles } = endpoints;
  const authority = await writeAuthority(cluster.client, home.directory, signal, logger);
  const web = await servePage(cluster, { stdout: dependencies.stdout, logger }, parts);
  const document: ReadyDocument = { web, kubeconfig: kubeconfig.path, authority, bmcs, pools };
  progress.end();
  dependencies.stdout.write(
    screen({
      document,
      addresses,
      seconds: process.uptime(),
      command: ownCommand({ ...dependencies, node: process.execPath, folder: process.cwd() }),
      install: missingTools(dependencies),
      kept: home.data === undefined ? undefined : { path: home.data.path, isBack },
      notes,
      troubles,
      colour: wantsColour(dependencies.stdout, dependencies.env),
    }),
  );
  if (ready === undefined) return;
  parts.defer(() => ready.remove());
  await ready.write(`${JSON.stringify(document, undefined, 2)}
`);
}

async function checkPorts(options: SandboxOptions, { data }: Home): Promise<void> {
  // A restored sandbox already has the ports of its Services.
  const vms = data?.origin === undefined ? options.vms : 0;
  const ports = Array.from({ length: vms }, (_, index) => options.ipmiPort + index);
  await Promise.all(
    ports.flatMap((port) => (['udp', 'tcp'] as const).map((protocol) => checkPort(protocol, port, '--ipmi-port'))),
  );
  if (options.apiPort !== 0) await checkPort('tcp', options.apiPort, '--api-port');
}

/** A restored sandbox needs the API server port that its kubeconfigs contain. */
function sayPort(cause: unknown): never {
  const isBusy = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE' && 'port' in cause;
  throw isBusy ? new PortError(busyPort('tcp', Number(cause.port), '--api-port'), { cause }) : cause;
}

function lostPort({ protocol, port, service }: BindFailure): string {
  const name = `${service.namespace ?? ''}/${service.name}`;
  return `${protocol} port 127.0.0.1:${port}, which Service ${name} has, is in use by another program. Stop that program.`;
}

function missingTools({ env }: Dependencies): { tool: string; line: string }[] {
  const root = process.getuid?.() === 0;
  return (['ipmitool', 'kubectl'] as const satisfies Tool[]).flatMap((tool) => {
    const line = installLine(tool, env['PATH'], root);
    return line === undefined ? [] : [{ tool, line }];
  });
}
