import { rootCertificates } from 'node:tls';
import {
  DATA_VOLUMES,
  mediaPlaceIn,
  mediaSecretName,
  mediaVolumeNames,
  saveMediaPlace,
  VIRTUAL_MACHINES,
  type BMCAction,
  type DataVolume,
  type MediaStatus,
  type VirtualMachineBMC,
} from '../../../api/index.ts';
import {
  CONFIG_MAPS,
  isNotFound,
  SECRETS,
  sleep,
  type Clock,
  type KubeClient,
  type Logger,
  type ObjectRef,
} from '../../../kube/index.ts';
import {
  MachineError,
  type EventLog,
  type MediaDrive,
  type MediaImage,
  type Requester,
  type VirtualMedia,
} from '../../../protocols/machine/index.ts';
import type { Lane } from '../machine/index.ts';
import { readMachine, unavailable, type MachinePair } from '../machine/machine-objects.ts';
import { isOwnedBy } from '../owned/index.ts';
import type { BmcStatus } from '../status/bmc-status.ts';
import type { ObjectWatch, ObjectWatches } from '../watches/index.ts';
import { hotplugsMedia } from './hotplug-gate.ts';
import { imageSizeOf } from './image-server.ts';
import { imageOrderOf, shownUrl, type ImageOrder } from './image-url.ts';
import { withAdvice } from './import-failure.ts';
import { mediaDriveOf } from './media-drive.ts';
import { admitDrive, admitEmpty, emptied, entryOf } from './media-entry.ts';
import { isLostRace, isRefusal, told } from './media-errors.ts';
import { dataVolumeOf, loginSecretOf, roomFor } from './media-objects.ts';
import { DRIVE, type MediaView } from './media-view.ts';
import { nextStep, type MediaStep } from './next-step.ts';
import { takeBack } from './take-back.ts';

/** Milliseconds to wait after each lost race before reading again. */
const RETRY_DELAYS = [20, 50, 100, 200, 400];
/** Steps in one go; more than an insertion and its end have. */
const MAX_STEPS = 12;
/** Longest text of the status that keeps what the owner had in the drive. */
const MAX_ORIGINAL = 16_384;
/** Longest sentence in the status. */
const MAX_MESSAGE = 2048;

export interface KubeVirtMediaOptions {
  client: KubeClient;
  watches: ObjectWatches;
  bmc: VirtualMachineBMC;
  /** The VM; its VMI has the same name. */
  machine: ObjectRef;
  status: BmcStatus;
  /** In which all that writes the VM takes its turn. */
  lane: Lane;
  log: EventLog;
  /** Tells people of what happened; one word in CamelCase, and a sentence. */
  report: (type: 'Normal' | 'Warning', reason: string, message: string) => void;
  /** Asks for a `settle`, soon. */
  wake: () => void;
  random: (size: number) => Buffer;
  clock: Clock;
  /** Ends what is under way. */
  signal: AbortSignal;
  logger: Logger;
}

/**
 * A CD drive whose images CDI imports. What is in it, and what was, stands in the BMC's status before the VM is touched; from there on
 * `settle` brings it to its end one step after the other, whichever agent that is in by then.
 */
export class KubeVirtMedia implements VirtualMedia {
  readonly #options: KubeVirtMediaOptions;
  /** Of the DataVolume, while there is an insertion. */
  #watch: { name: string; volume: ObjectWatch<DataVolume> } | undefined;
  /** The refusal that people were told of last. */
  #borne: string | undefined;

  constructor(options: KubeVirtMediaOptions) {
    this.#options = options;
  }

  drives(): readonly MediaDrive[] {
    const bmc = this.#bmc;
    return [mediaDriveOf(entryOf(bmc), bmc.spec.redfish?.virtualMedia?.tls?.insecureSkipVerify !== true)];
  }

  async insert(drive: string, image: MediaImage, requester: Requester): Promise<void> {
    const what = `insert ${shownUrl(image.image)}`;
    await this.#reported('MediaInserted', what, requester, async () => {
      admitDrive(drive);
      if (!image.isWriteProtected) throw new MachineError('NotSupported', 'a CD cannot be written to');
      const order = imageOrderOf(image, this.#bmc.spec.redfish?.virtualMedia?.allowedHosts);
      admitEmpty(entryOf(this.#bmc));
      const size = await this.#sizeOf(order);
      await this.#options.lane.run(() => this.#insert(order, size, image.isInserted));
    });
  }

  async eject(drive: string, requester: Requester): Promise<void> {
    admitDrive(drive);
    const entry = entryOf(await this.#options.status.read());
    if (entry === undefined || entry.phase === 'Ejected') return;
    await this.#reported(
      'MediaEjected',
      `eject ${entry.image === undefined ? 'the image' : shownUrl(entry.image)}`,
      requester,
      () => this.#options.lane.run(() => this.#eject()),
    );
  }

  /**
   * Does what an insertion, or its end, is waiting for. Call it whenever something may have changed, in the lane.
   *
   * @throws MachineError
   */
  async settle(pair: MachinePair): Promise<void> {
    this.#follow();
    const { status, clock } = this.#options;
    const bmc = status.latest;
    const entry = bmc && entryOf(bmc);
    const { volume } = this.#watch ?? {};
    if (bmc === undefined || entry === undefined || volume?.hasSettled !== true) return;
    const cached: MediaView = { bmc, entry, ...pair, volume: volume.object, now: clock.now() };
    if (nextStep(cached).do === 'rest') return;
    try {
      await this.#advance();
    } catch (error) {
      this.#bear(error);
    }
    this.#follow();
  }

  stop(): void {
    this.#watch?.volume.stop();
    this.#watch = undefined;
  }

  get #bmc(): VirtualMachineBMC {
    return this.#options.status.latest ?? this.#options.bmc;
  }

  async #insert(order: ImageOrder, size: number, attach: boolean): Promise<void> {
    const { client, status, clock, random } = this.#options;
    // The one before may still be on its way out.
    await this.#advance();
    const id = random(8).toString('hex');
    await this.#persist(async () => {
      const bmc = await status.read();
      if (bmc.metadata.deletionTimestamp !== undefined) {
        throw new MachineError('InvalidState', 'the VirtualMachineBMC is being deleted');
      }
      const { vm } = await readMachine(client, this.#options.machine);
      if (vm === undefined || vm.metadata.deletionTimestamp !== undefined) {
        throw new MachineError('Unavailable', 'the virtual machine does not exist');
      }
      const before = entryOf(bmc);
      admitEmpty(before);
      if (before?.phase === 'Ejecting') throw new MachineError('Busy', 'the image before it is still being taken out');
      const volume = await this.#freeVolume(bmc, before?.volume);
      const place = mediaPlaceIn(vm, volume, await hotplugsMedia(client));
      const saved = attach ? saveMediaPlace(place) : { detached: true };
      if ((saved.originalVolume?.length ?? 0) > MAX_ORIGINAL) {
        throw new MachineError('NotSupported', `what is in the drive ${place.drive} is too large to be kept`);
      }
      await this.#keepLogin(bmc, order.login);
      await this.#write(bmc, {
        slot: DRIVE,
        image: order.url.href,
        inserted: false,
        phase: 'Preparing',
        message: 'a volume is being made for the image',
        id,
        ...(order.login === undefined ? {} : { userName: order.login.userName }),
        startedAt: new Date(clock.now()).toISOString(),
        size: roomFor(size),
        vmUID: vm.metadata.uid ?? '',
        volume,
        ...saved,
      });
    });
    this.#follow();
    await this.#advanceNow(id);
  }

  /** What cannot be done at all is told at once, and the drive is empty again; what fails for now is done by `settle`. */
  async #advanceNow(id: string): Promise<void> {
    const { logger, wake } = this.#options;
    try {
      await this.#advance();
    } catch (error) {
      const isFinal = error instanceof MachineError && error.code === 'Forbidden';
      logger.warn({ err: error }, isFinal ? 'an image could not be inserted' : 'an image is inserted later');
      wake();
      if (!isFinal) return;
      await this.#eject();
      throw error;
    }
    const entry = entryOf(this.#bmc);
    if (entry?.id !== id || entry.phase !== 'Failed') return;
    const { message = 'the image could not be inserted' } = entry;
    await this.#eject();
    throw new MachineError('NotSupported', message);
  }

  async #eject(): Promise<void> {
    const { status, logger, wake } = this.#options;
    const isEmpty = await this.#persist(async () => {
      const bmc = await status.read();
      const entry = entryOf(bmc);
      if (entry === undefined || entry.phase === 'Ejected') return true;
      if (entry.phase === 'Ejecting') return false;
      await this.#write(bmc, { ...entry, phase: 'Ejecting', inserted: false, message: 'the image was ejected' });
      return false;
    });
    if (isEmpty) return;
    try {
      await this.#advance();
    } catch (error) {
      wake();
      if (error instanceof MachineError && error.code !== 'Unavailable' && error.code !== 'Busy') throw error;
      logger.warn({ err: error }, 'an image is taken out later');
    }
    this.#follow();
  }

  /** What is refused is tried again when something changes; all else that the BMC does goes on meanwhile. */
  #bear(error: unknown): void {
    if (!(error instanceof MachineError) || !['InvalidState', 'Forbidden'].includes(error.code)) throw error;
    const { logger, report } = this.#options;
    logger.warn({ err: error }, 'the image in the drive cannot be brought on its way');
    if (this.#borne === error.message) return;
    this.#borne = error.message;
    report('Warning', 'MediaRefused', `The image in the drive is neither put in nor taken out: ${error.message}`);
  }

  /** Takes step after step, each from what stands in the API, until there is none. */
  async #advance(): Promise<void> {
    await this.#persist(async () => {
      for (let steps = 0; steps < MAX_STEPS; steps += 1) {
        const view = await this.#read();
        const step: MediaStep = view === undefined ? { do: 'rest' } : nextStep(view);
        if (view === undefined || step.do === 'rest') return;
        await this.#take(step, view);
      }
    });
  }

  async #take(step: Exclude<MediaStep, { do: 'rest' }>, view: MediaView): Promise<void> {
    const { client, machine } = this.#options;
    const { bmc, entry, volume } = view;
    switch (step.do) {
      case 'make volume':
        await this.#makeVolume(bmc, entry);
        return;
      case 'delete volume': {
        const { uid = '' } = volume?.metadata ?? {};
        // In the foreground: the volume's name is not free before its claim is gone.
        await client.delete(DATA_VOLUMES, this.#volumeRef(entry), { uid, propagationPolicy: 'Foreground' });
        return;
      }
      case 'patch machine':
        try {
          await client.patch(VIRTUAL_MACHINES, machine, 'json', step.patch);
        } catch (error) {
          if (entry.phase !== 'Preparing' || !isRefusal(error)) throw error;
          await this.#fail(bmc, entry, `KubeVirt refuses the image: ${error.serverMessage}`);
          return;
        }
        if (entry.phase === 'Preparing') await takeBack(entry, this.#options);
        return;
      case 'note':
        await this.#note(view, step.change);
    }
  }

  async #makeVolume(bmc: VirtualMachineBMC, entry: MediaStatus): Promise<void> {
    try {
      await this.#options.client.apply(DATA_VOLUMES, dataVolumeOf(bmc, entry));
    } catch (error) {
      if (isNotFound(error)) {
        await this.#fail(bmc, entry, 'CDI (Containerized Data Importer) is not installed in the cluster');
      } else if (isRefusal(error) && !error.serverMessage.includes('already exists')) {
        await this.#fail(bmc, entry, withAdvice(`CDI refuses the image: ${error.serverMessage}`));
      } else {
        throw error;
      }
    }
  }

  async #fail(bmc: VirtualMachineBMC, entry: MediaStatus, message: string): Promise<void> {
    await this.#write(bmc, { ...entry, phase: 'Failing', inserted: false, message: message.slice(0, MAX_MESSAGE) });
  }

  async #note({ bmc, entry }: MediaView, change: Partial<MediaStatus>): Promise<void> {
    const { phase, message } = change;
    // Nobody asks the image server any more.
    const isImportOver = phase !== undefined && phase !== 'Importing' && phase !== 'Failing' && phase !== 'Ejecting';
    if (isImportOver && entry.userName !== undefined) await this.#dropLogin(bmc);
    const next = { ...entry, ...change, ...(message === undefined ? {} : { message: message.slice(0, MAX_MESSAGE) }) };
    await this.#write(bmc, phase === 'Ejected' || phase === 'Failed' ? emptied(next) : next);
    const told = phase === undefined || phase === entry.phase ? undefined : REASONS[phase];
    if (told !== undefined) this.#options.report(told.type, told.reason, sentence(next));
  }

  async #read(): Promise<MediaView | undefined> {
    const { client, status, machine, clock } = this.#options;
    const bmc = await status.read();
    const entry = entryOf(bmc);
    if (entry === undefined) return undefined;
    const pair = await readMachine(client, machine);
    const volume = await client.find(DATA_VOLUMES, this.#volumeRef(entry));
    return { bmc, entry, ...pair, volume, now: clock.now() };
  }

  async #write(bmc: VirtualMachineBMC, entry: MediaStatus): Promise<void> {
    await this.#options.status.write(bmc, { virtualMedia: [entry] });
  }

  /**
   * A name that no volume has, else the first: what has it is on its way out. Rather not the last one's: a guest may have that still.
   *
   * @throws MachineError `InvalidState` where somebody else's is in the way
   */
  async #freeVolume(bmc: VirtualMachineBMC, last: string | undefined): Promise<string> {
    const [first, second] = mediaVolumeNames(bmc.metadata.name);
    const names = last === first ? ([second, first] as const) : ([first, second] as const);
    for (const name of names) {
      const found = await this.#options.client.find(DATA_VOLUMES, this.#volumeRef({ volume: name }));
      if (found === undefined) return name;
      if (isOwnedBy(found, bmc)) continue;
      const why = `DataVolume ${name} is not this BMC's: rename or delete it, so that the BMC can make its own`;
      throw new MachineError('InvalidState', why);
    }
    return names[0];
  }

  /** A password is there before the status speaks of it: no agent that comes next could ask for the password again. */
  async #keepLogin(bmc: VirtualMachineBMC, login: ImageOrder['login']): Promise<void> {
    const { client } = this.#options;
    if (login === undefined) {
      await this.#dropLogin(bmc);
      return;
    }
    const found = await client.find(SECRETS, this.#loginRef);
    if (found !== undefined && !isOwnedBy(found, bmc)) {
      const { name } = this.#loginRef;
      throw new MachineError('InvalidState', `Secret ${name} is not this BMC's: rename or delete it`);
    }
    await client.apply(SECRETS, loginSecretOf(bmc, login.userName, login.password), { force: true });
  }

  async #dropLogin(bmc: VirtualMachineBMC): Promise<void> {
    const { client } = this.#options;
    const found = await client.find(SECRETS, this.#loginRef);
    if (found === undefined || !isOwnedBy(found, bmc)) return;
    const { uid = '' } = found.metadata;
    await client.delete(SECRETS, this.#loginRef, { uid });
  }

  async #sizeOf(order: ImageOrder): Promise<number> {
    const { allowedHosts = [], tls } = this.#bmc.spec.redfish?.virtualMedia ?? {};
    const { signal } = this.#options;
    const name = tls?.caBundleConfigMapRef?.name;
    const ca = name === undefined || order.url.protocol === 'http:' ? {} : { ca: await this.#caBundle(name) };
    return await imageSizeOf(order, { allowedHosts, ...ca, insecure: tls?.insecureSkipVerify === true, signal });
  }

  /** Beside those that are trusted anyway, as CDI takes it. */
  async #caBundle(name: string): Promise<string[]> {
    const { client, machine } = this.#options;
    const { namespace = '' } = machine;
    let pem: string | undefined;
    try {
      pem = (await client.find(CONFIG_MAPS, { namespace, name }))?.data?.['ca.pem'];
    } catch (error) {
      throw unavailable(error);
    }
    if (pem !== undefined) return [...rootCertificates, pem];
    throw new MachineError(
      'Unavailable',
      `ConfigMap ${name} of spec.redfish.virtualMedia.tls.caBundleConfigMapRef has no key ca.pem`,
    );
  }

  /** Watches the volume while it matters: most BMCs have none most of the time. */
  #follow(): void {
    const { watches, wake } = this.#options;
    const { phase, volume: name } = entryOf(this.#bmc) ?? {};
    const matters = phase !== undefined && phase !== 'Ejected' && phase !== 'Failed';
    if (this.#watch?.name === name && matters) return;
    this.stop();
    if (matters && name !== undefined) this.#watch = { name, volume: watches.watch(DATA_VOLUMES, name, wake) };
  }

  #volumeRef({ volume = '' }: Pick<MediaStatus, 'volume'>): ObjectRef {
    return { namespace: this.#options.machine.namespace ?? '', name: volume };
  }

  get #loginRef(): ObjectRef {
    const { namespace = '' } = this.#options.machine;
    return { namespace, name: mediaSecretName(this.#options.bmc.metadata.name) };
  }

  /** Does `work`, and that again as long as others were quicker. */
  async #persist<T>(work: () => Promise<T>): Promise<T> {
    const { clock, signal } = this.#options;
    let lost: unknown;
    for (const delay of [0, ...RETRY_DELAYS]) {
      await sleep(clock, delay, signal);
      try {
        return await work();
      } catch (error) {
        if (!isLostRace(error)) throw told(error);
        lost = error;
      }
    }
    throw new MachineError('Busy', 'the virtual machine is being changed by others: try again', { cause: lost });
  }

  async #reported(reason: BMCAction, what: string, requester: Requester, work: () => Promise<void>): Promise<void> {
    const { log, logger, report, wake } = this.#options;
    const asked = `${what}, as ${requester.user} asked over ${requester.protocol} from ${requester.address}`;
    const fields = { action: reason, ...requester };
    try {
      await work();
    } catch (error) {
      const why = error instanceof MachineError ? error.message : 'it failed';
      logger.warn({ ...fields, err: error }, `refused: ${asked}`);
      report('Warning', `${reason}Refused`, `Refused: ${asked}: ${why}`);
      throw error;
    }
    logger.info(fields, asked);
    log.append({ kind: 'Media', change: reason === 'MediaInserted' ? 'Inserted' : 'Ejected', slot: DRIVE, requester });
    report('Normal', reason, `${asked[0]?.toUpperCase() ?? ''}${asked.slice(1)}`);
    wake();
  }
}

const REASONS: Partial<
  Record<NonNullable<MediaStatus['phase']>, { type: 'Normal' | 'Warning'; reason: string } | undefined>
> = {
  Waiting: { type: 'Normal', reason: 'MediaWaiting' },
  Inserted: { type: 'Normal', reason: 'MediaReady' },
  Failed: { type: 'Warning', reason: 'MediaFailed' },
};

function sentence({ image = '', message = '' }: MediaStatus): string {
  return `${shownUrl(image)}: ${message}`;
}
