import { isDeepStrictEqual } from 'node:util';
import {
  CONFIG_MAPS,
  Controller,
  isAlreadyExists,
  SECRETS,
  parseQuantity,
  self,
  source,
  unlessGone,
  type Cache,
  type Clock,
  type Draft,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { statusOf, type Problem } from './data-volume-status.ts';
import type { DownloadOrder } from './download.ts';
import { createImports, MissingObject, type Imports, type ImportState, type ImportTimes } from './imports.ts';
import { CLAIMS, DATA_VOLUMES, STORAGE_CLASS, type Claim, type DataVolume, type HttpSource } from './objects.ts';

export interface DataVolumeControllerOptions {
  client: KubeClient;
  dataVolumes: Cache<DataVolume>;
  claims: Cache<Claim>;
  times: ImportTimes;
  /** Milliseconds between two updates of an import's progress. */
  progressInterval: number;
  clock: Clock;
  logger: Logger;
}

/** Creates the claim of each DataVolume, imports its source, and writes its status. */
export async function runDataVolumeController(
  options: DataVolumeControllerOptions,
  signal: AbortSignal,
): Promise<void> {
  const { dataVolumes, claims, clock, logger, times } = options;
  const controller = new Controller({
    name: 'datavolume',
    reconcile: async (ref) => await unlessGone(() => reconcile(ref, options, imports)),
    // A DataVolume and its claim have one name.
    sources: [source(dataVolumes, self), source(claims, self)],
    workers: 4,
    clock,
    logger,
  });
  const imports = createImports({
    times,
    onChange: (ref) => {
      controller.enqueue(ref);
    },
    clock,
    logger,
  });
  try {
    await controller.run(signal);
  } finally {
    await imports.close();
  }
}

async function reconcile(
  ref: ObjectRef,
  options: DataVolumeControllerOptions,
  imports: Imports,
): Promise<Result | undefined> {
  const dv = options.dataVolumes.get(ref);
  const isLive = dv !== undefined && dv.metadata.deletionTimestamp === undefined;
  const found = options.claims.get(ref);
  const claim = isLive && found !== undefined && isOwned(found, dv) ? found : undefined;
  const isLeaving = claim?.metadata.deletionTimestamp !== undefined;
  imports.keepOnly(ref, isLeaving ? undefined : claim?.metadata.uid);
  if (!isLive || isLeaving || dv.status?.phase === 'Succeeded') return undefined;
  const problem = claim === undefined ? await createClaim(dv, options.client) : undefined;
  const state = claim?.status?.phase === 'Bound' ? importInto(claim, dv, options, imports) : undefined;
  const status = statusOf({ dv, claim, problem, state, now: options.clock.now() });
  if (!isDeepStrictEqual(status, dv.status)) {
    await options.client.replace(DATA_VOLUMES, { ...dv, status }, { subresource: 'status' });
  }
  return state?.phase === 'Running' ? { requeueAfter: options.progressInterval } : undefined;
}

/** Creates the claim; returns the problem that prevents it. */
async function createClaim(dv: DataVolume, client: KubeClient): Promise<Problem | undefined> {
  const { http, blank, ...others } = dv.spec.source ?? {};
  if (http === undefined && blank === undefined) {
    const [asked = 'none'] = Object.keys(others);
    const message = `the simulator has no source ${asked}; it has spec.source.http and spec.source.blank`;
    return { reason: 'NotSupported', message };
  }
  const size = (dv.spec.storage ?? dv.spec.pvc)?.resources?.requests?.['storage'] ?? '';
  if ((parseQuantity(size) ?? 0) <= 0)
    return { reason: 'ErrClaimNotValid', message: 'the size of the volume is missing' };
  try {
    await client.create(CLAIMS, claimOf(dv));
    return undefined;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // It may be the DataVolume's claim, which the watch has not shown yet.
    const present = await client.find(CLAIMS, dv.metadata);
    if (present === undefined || isOwned(present, dv)) return undefined;
    const message = `Resource "${dv.metadata.name}" already exists and is not managed by DataVolume`;
    return { reason: 'ErrResourceExists', message };
  }
}

function claimOf({ metadata, spec }: DataVolume): Draft<Claim> {
  const { name, namespace, uid = '', labels } = metadata;
  const defaults = { accessModes: ['ReadWriteMany'], volumeMode: 'Filesystem', storageClassName: STORAGE_CLASS };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { app: 'containerized-data-importer', ...labels },
      ownerReferences: [
        {
          apiVersion: 'cdi.kubevirt.io/v1beta1',
          kind: 'DataVolume',
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: spec.pvc ?? { ...defaults, ...spec.storage },
  };
}

/** State of the import into a bound claim; starts the import if necessary. */
function importInto(
  claim: Claim,
  { metadata, spec, status }: DataVolume,
  { client }: DataVolumeControllerOptions,
  imports: Imports,
): ImportState {
  const { name, namespace = '' } = metadata;
  const restarts = status?.restartCount ?? 0;
  const http = spec.source?.http;
  if (http === undefined) return { phase: 'Succeeded', restarts };
  const available = parseQuantity(claim.status?.capacity?.['storage'] ?? '') ?? 0;
  const order = async (): Promise<DownloadOrder> => ({ ...(await orderOf(client, namespace, http)), available });
  return imports.ensure(claim.metadata.uid ?? '', { namespace, name }, order, restarts);
}

/** Reads the Secret and the ConfigMap of a source; called for each attempt. */
async function orderOf(
  client: KubeClient,
  namespace: string,
  { url, secretRef, certConfigMap, insecureSkipVerify = false }: HttpSource,
): Promise<Omit<DownloadOrder, 'available'>> {
  const secret = secretRef === undefined ? undefined : await client.find(SECRETS, { namespace, name: secretRef });
  if (secretRef !== undefined && secret === undefined) throw new MissingObject(`secret "${secretRef}" not found`);
  const certificates =
    certConfigMap === undefined ? undefined : await client.find(CONFIG_MAPS, { namespace, name: certConfigMap });
  if (certConfigMap !== undefined && certificates === undefined) {
    throw new MissingObject(`configmap "${certConfigMap}" not found`);
  }
  const textAt = (key: string): string => Buffer.from(secret?.data?.[key] ?? '', 'base64').toString('utf8');
  const [user, password] = [textAt('accessKeyId'), textAt('secretKey')];
  return {
    url,
    // As in CDI, both are necessary.
    ...(user === '' || password === '' ? {} : { credentials: { user, password } }),
    authorities: Object.values(certificates?.data ?? {}),
    insecure: insecureSkipVerify,
  };
}

function isOwned(claim: Claim, dv: DataVolume): boolean {
  return claim.metadata.ownerReferences?.some(({ uid }) => uid === dv.metadata.uid) === true;
}
