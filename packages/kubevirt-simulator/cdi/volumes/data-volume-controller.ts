import { isDeepStrictEqual } from 'node:util';
import {
  Controller,
  isAlreadyExists,
  isNotFound,
  self,
  source,
  type Cache,
  type Clock,
  type EventRecorder,
  type KubeClient,
  type Logger,
  type ObjectRef,
  type Result,
} from '@groundcrew/controller-runtime';
import { ANNOTATIONS } from '../annotations.ts';
import { defaultClass, waitsForConsumer } from '../claims/binding.ts';
import { claimOf, type StorageView } from '../claims/claim-of.ts';
import { overheadOf, usableSpace } from '../claims/filesystem-space.ts';
import { Importer, type ImportState, type ImportTimes } from '../importer/importer.ts';
import { httpOrder, type ImportOrder } from '../importer/import-order.ts';
import { ANY_ADDRESS, publicAddressesOnly } from '../importer/internal-addresses.ts';
import {
  CLAIMS,
  CONFIG_NAME,
  DATA_VOLUMES,
  type CdiConfig,
  type Claim,
  type DataVolume,
  type StorageClass,
  type StorageProfile,
} from '../objects.ts';
import { bytesOf } from '../quantity.ts';
import { statusOf } from './data-volume-status.ts';
import { importAnnotations } from './import-annotations.ts';
import { unsupportedSource } from './unsupported-source.ts';

export interface DataVolumeControllerOptions {
  client: KubeClient;
  dataVolumes: Cache<DataVolume>;
  claims: Cache<Claim>;
  classes: Cache<StorageClass>;
  profiles: Cache<StorageProfile>;
  configs: Cache<CdiConfig>;
  events: EventRecorder;
  times: ImportTimes;
  /** Milliseconds between two looks at an import's progress; CDI has 2 s. */
  progressInterval: number;
  concurrency: number;
  /** Import from public addresses and `allowedSourceURLs` only. */
  blockInternalAddresses: boolean;
  clock: Clock;
  logger: Logger;
}

interface Gathered {
  dv: DataVolume;
  claim: Claim | undefined;
  storageClass: StorageClass | undefined;
  storage: StorageView;
}

/** Gives each DataVolume its claim, fills it from the source, and says how far it is. */
export class DataVolumeController {
  readonly #options: DataVolumeControllerOptions;
  readonly #importer: Importer;
  readonly #controller: Controller;
  /** Of claims whose import is under way: by the claim's place its uid. */
  readonly #importing = new Map<string, string>();

  constructor(options: DataVolumeControllerOptions) {
    this.#options = options;
    const { dataVolumes, claims, classes, profiles, clock, logger, times, concurrency } = options;
    const everyVolume = (): readonly ObjectRef[] => dataVolumes.list().map(({ metadata }) => metadata);
    this.#controller = new Controller({
      name: 'datavolume',
      reconcile: (ref) => this.#reconcile(ref),
      // A DataVolume and its claim have one name.
      sources: [
        source(dataVolumes, self),
        source(claims, self),
        source(classes, everyVolume),
        source(profiles, everyVolume),
      ],
      workers: 4,
      clock,
      logger,
    });
    this.#importer = new Importer({
      times,
      concurrency,
      mayConnect: () => (options.blockInternalAddresses ? publicAddressesOnly(this.#allowedSources()) : ANY_ADDRESS),
      onChange: (ref) => {
        this.#controller.enqueue(ref);
      },
      clock,
      logger,
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      await this.#controller.run(signal);
    } finally {
      await this.#importer.close();
    }
  }

  async #reconcile(ref: ObjectRef): Promise<Result | undefined> {
    const gathered = this.#gather(ref);
    this.#forget(ref, gathered?.claim);
    if (gathered === undefined) return undefined;
    try {
      return await this.#step(gathered);
    } catch (error) {
      // It went while it was looked at; the watch is about to say so.
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Undefined: there is no DataVolume, or it is going. */
  #gather(ref: ObjectRef): Gathered | undefined {
    const { dataVolumes, claims, classes, profiles, configs } = this.#options;
    const dv = dataVolumes.get(ref);
    if (dv === undefined || dv.metadata.deletionTimestamp !== undefined) return undefined;
    const found = claims.get(ref);
    const claim = found !== undefined && isOwned(found, dv) ? found : undefined;
    return {
      dv,
      claim,
      storageClass: classes.list().find(({ metadata }) => metadata.name === claim?.spec?.storageClassName),
      storage: {
        defaultClass: defaultClass(classes.list()),
        profiles: new Map(profiles.list().map((profile) => [profile.metadata.name, profile])),
        config: configs.get({ name: CONFIG_NAME }),
      },
    };
  }

  /** Ends the import into a claim that is gone, or is going: nobody is to have it any more. */
  #forget(ref: ObjectRef, claim: Claim | undefined): void {
    const place = `${ref.namespace ?? ''}/${ref.name}`;
    const uid = this.#importing.get(place);
    if (uid === undefined) return;
    if (claim?.metadata.uid === uid && claim.metadata.deletionTimestamp === undefined) return;
    this.#importer.abort(uid);
    this.#importing.delete(place);
  }

  async #step(gathered: Gathered): Promise<Result | undefined> {
    const { dv, claim, storage, storageClass } = gathered;
    const unsupported = unsupportedSource(dv);
    if (unsupported !== undefined) {
      const message = `the CDI stand-in has no ${unsupported}; it has spec.source.http and spec.source.blank`;
      await this.#writeStatus(gathered, undefined, { reason: 'NotSupported', message });
      return undefined;
    }
    if (claim === undefined) {
      if (dv.status?.phase === 'Succeeded') return undefined;
      const problem = await this.#createClaim(dv, storage);
      await this.#writeStatus(gathered, undefined, problem);
      return undefined;
    }
    if (claim.metadata.deletionTimestamp !== undefined) return undefined;
    if (await this.#bindAtOnce(claim, storageClass)) return undefined;
    const state = claim.status?.phase === 'Bound' ? this.#import(gathered, claim) : undefined;
    if (state !== undefined && (await this.#annotate(claim, state))) return undefined;
    await this.#writeStatus(gathered, state);
    return state?.phase === 'Running' ? { requeueAfter: this.#options.progressInterval } : undefined;
  }

  async #createClaim(dv: DataVolume, storage: StorageView): Promise<{ reason: string; message: string } | undefined> {
    const plan = claimOf(dv, storage);
    if ('problem' in plan) return { reason: 'ErrClaimNotValid', message: plan.problem };
    try {
      await this.#options.client.create(CLAIMS, plan.claim);
      return undefined;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      // Perhaps our own, that the watch has not shown yet.
      const there = await this.#options.client.find(CLAIMS, dv.metadata);
      if (there === undefined || isOwned(there, dv)) return undefined;
      const message = `Resource "${dv.metadata.name}" already exists and is not managed by DataVolume`;
      return { reason: 'ErrResourceExists', message };
    }
  }

  /** The importer is the first consumer of a claim that is to be bound without waiting for another. */
  async #bindAtOnce(claim: Claim, storageClass: StorageClass | undefined): Promise<boolean> {
    const { annotations = {}, resourceVersion } = claim.metadata;
    const isAsked = annotations[ANNOTATIONS.bindImmediately] !== undefined && waitsForConsumer(storageClass);
    if (!isAsked || annotations[ANNOTATIONS.selectedNode] !== undefined) return false;
    await this.#options.client.patch(CLAIMS, claim.metadata, 'merge', {
      metadata: { resourceVersion, annotations: { [ANNOTATIONS.selectedNode]: IMPORTER_NODE } },
    });
    return true;
  }

  /** The state of the import into a bound claim, begun where it is not; undefined where it is over. */
  #import({ dv, storage }: Gathered, claim: Claim): ImportState | undefined {
    const { namespace = '', name, uid = '', annotations = {} } = claim.metadata;
    if (annotations[ANNOTATIONS.phase] === 'Succeeded') return undefined;
    const restarts = Number(annotations[ANNOTATIONS.restarts] ?? '0');
    const http = dv.spec.source?.http;
    if (http === undefined) return { phase: 'Succeeded', received: NOTHING, restarts };
    this.#importing.set(`${namespace}/${name}`, uid);
    const order = async (): Promise<ImportOrder> => ({
      http: { ...(await httpOrder(this.#options.client, namespace, http)), checksum: http.checksum },
      available: availableSpace(claim, storage.config),
    });
    return this.#importer.ensure({ namespace, name, uid }, order, restarts);
  }

  /** True: the claim was written, and its echo comes back here. */
  async #annotate(claim: Claim, state: ImportState): Promise<boolean> {
    const { client, events } = this.#options;
    const { name, annotations: old = {}, resourceVersion } = claim.metadata;
    const annotations = importAnnotations(name, state);
    if (Object.entries(annotations).every(([key, value]) => old[key] === value)) return false;
    await client.patch(CLAIMS, claim.metadata, 'merge', { metadata: { resourceVersion, annotations } });
    if (state.phase === 'Failed') events.event(claim, 'Warning', 'ErrImportFailed', state.message);
    if (state.phase === 'Succeeded') events.event(claim, 'Normal', 'ImportSucceeded', 'Import Successful');
    return true;
  }

  async #writeStatus(
    { dv, claim, storageClass }: Gathered,
    state: ImportState | undefined,
    problem?: { reason: string; message: string },
  ): Promise<void> {
    const { client, clock, events } = this.#options;
    const decision = statusOf({
      dv,
      claim,
      waits: waitsForConsumer(storageClass),
      state,
      now: clock.now(),
      ...(problem === undefined ? {} : { problem }),
    });
    if (isDeepStrictEqual(decision.status, dv.status)) return;
    await client.replace(DATA_VOLUMES, { ...dv, status: decision.status }, { subresource: 'status' });
    for (const { type, reason, message } of decision.events) events.event(dv, type, reason, message);
  }

  #allowedSources(): readonly string[] {
    return this.#options.configs.get({ name: CONFIG_NAME })?.spec?.allowedSourceURLs ?? [];
  }
}

/** Where importers would run; nothing is anywhere. */
const IMPORTER_NODE = 'sandbox';

/** A blank image: a file of zeros, which nothing reads. */
const NOTHING = { bytes: 0, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' };

function isOwned(claim: Claim, dv: DataVolume): boolean {
  return claim.metadata.ownerReferences?.some(({ uid }) => uid === dv.metadata.uid) === true;
}

function availableSpace(claim: Claim, config: CdiConfig | undefined): number {
  const { storageClassName, volumeMode = 'Filesystem' } = claim.spec ?? {};
  const bytes = bytesOf(claim.status?.capacity?.['storage'] ?? '') ?? 0;
  return volumeMode === 'Block' ? bytes : usableSpace(bytes, overheadOf(config, storageClassName, volumeMode));
}
