import type { BMCAction, MediaSlot, MediaStatus, VirtualMachineBMC } from '../../../../api/index.ts';
import type { HostDependencies } from '../../../../protocols/hosts/index.ts';
import {
  type EventLog,
  MachineError,
  type MediaDrive,
  type MediaImage,
  type Requester,
} from '../../../../protocols/machine/index.ts';
import type { SerialQueue } from '../../../../protocols/serial-queue.ts';
import { sendSetting } from '../../objects/client-error.ts';
import type { ObjectWatches } from '../../objects/named-watches.ts';
import { changeMachine, type MachinePair, readMachine } from '../machine-objects.ts';
import { beginInsertion, type Insertion } from './begin-insertion.ts';
import { sizeFor } from './image-server.ts';
import { imageOrderOf, shownUrl } from './image-url.ts';
import { admitEmpty, entryOf, isKeptByGuest, mediaDriveOf, type MediaView } from './media-drive.ts';
import { MediaLogin } from './media-login.ts';
import { MediaSteps, type MediaStepsOptions } from './media-steps.ts';
import { FollowedVolume } from './media-volume.ts';
import { hasStrayImage, nextStep } from './next-step.ts';

export interface KubeVirtDriveOptions extends MediaStepsOptions {
  watches: ObjectWatches;
  bmc: VirtualMachineBMC;
  /** Serializes writes of the VM. */
  queue: SerialQueue;
  log: EventLog;
  /** Requests a `settle` soon. */
  wake: () => void;
  /** Image hosts that are allowed in addition to those of the BMC. */
  hosts: HostDependencies;
  random: (size: number) => Buffer;
}

/** Message after ejecting an image. */
const KEPT =
  'the guest still has it until the machine is powered off and on, or power cycled, since KubeVirt cannot eject it from a running machine';

/**
 * A drive whose images CDI imports. The BMC's status records each insertion and ejection before the VM is touched;
 * from then on the `settle` of any agent completes it step by step.
 */
export class KubeVirtDrive {
  readonly id: MediaSlot;
  readonly #options: KubeVirtDriveOptions;
  readonly #login: MediaLogin;
  readonly #steps: MediaSteps;
  readonly #volume: FollowedVolume;
  /** The last refusal that was reported. */
  #borne: string | undefined;

  /** @param options shared by the drives of a machine */
  constructor(slot: MediaSlot, options: KubeVirtDriveOptions) {
    this.id = slot;
    this.#options = options;
    const { client, watches, wake, machine, bmc } = options;
    this.#login = new MediaLogin(client, { namespace: machine.namespace ?? '', name: bmc.metadata.name }, slot);
    this.#steps = new MediaSteps(slot, this.#login, options);
    this.#volume = new FollowedVolume(watches, wake);
  }

  /** As clients see it. */
  get shown(): MediaDrive {
    const bmc = this.#bmc;
    const verifiesCertificate = bmc.spec.redfish?.virtualMedia?.tls?.insecureSkipVerify !== true;
    return mediaDriveOf(this.id, this.#entryOf(bmc), verifiesCertificate, this.#volume.object);
  }

  /** Like `insert` of `VirtualMedia`. */
  async insert(image: MediaImage, requester: Requester): Promise<void> {
    const what = `insert ${shownUrl(image.image)}`;
    await this.#reported('MediaInserted', what, requester, async () => {
      if (!image.isWriteProtected) throw new MachineError('NotSupported', 'images are read-only');
      const { random, queue } = this.#options;
      const order = imageOrderOf(image);
      admitEmpty(this.#entryOf(this.#bmc));
      const size = await sizeFor(order, this.#bmc, this.#options);
      const id = random(8).toString('hex');
      await queue.run(() => this.#insert({ slot: this.id, id, order, size, attach: image.isInserted }));
      return undefined;
    });
  }

  /** Like `eject` of `VirtualMedia`. */
  async eject(requester: Requester): Promise<string | undefined> {
    const entry = this.#entryOf(await this.#options.status.read());
    if (entry === undefined || entry.phase === 'Ejected') return undefined;
    return await this.#reported(
      'MediaEjected',
      `eject ${entry.image === undefined ? 'the image' : shownUrl(entry.image)}`,
      requester,
      () => this.#options.queue.run(() => this.#eject()),
    );
  }

  /**
   * Continues a pending insertion or ejection. Call it in the queue after every relevant change.
   *
   * @throws MachineError
   */
  async settle(pair: MachinePair): Promise<void> {
    this.#follow();
    const { status, clock } = this.#options;
    const bmc = status.latest;
    const slot = this.id;
    const entry = bmc && this.#entryOf(bmc);
    if (bmc === undefined || !(this.#volume.hasSettled || hasStrayImage(pair.vm, slot, entry))) return;
    const cached: MediaView = { bmc, slot, entry, ...pair, volume: this.#volume.object, now: clock.now() };
    if (nextStep(cached).do === 'rest') return;
    try {
      await this.#steps.advance();
      this.#borne = undefined;
    } catch (error) {
      this.#bear(error);
    }
    this.#follow();
  }

  stop(): void {
    this.#volume.stop();
  }

  get #bmc(): VirtualMachineBMC {
    return this.#options.status.latest ?? this.#options.bmc;
  }

  #entryOf(bmc: VirtualMachineBMC): MediaStatus | undefined {
    return entryOf(bmc, this.id);
  }

  #follow(): void {
    this.#volume.follow(this.#entryOf(this.#bmc));
  }

  async #insert(insertion: Insertion): Promise<void> {
    const { status } = this.#options;
    // The previous volume may still be in deletion.
    await this.#steps.advance();
    await changeMachine(async () => {
      const bmc = await status.read();
      if (bmc.metadata.uid !== this.#options.bmc.metadata.uid) {
        throw new MachineError('Unavailable', 'the VirtualMachineBMC was deleted and recreated: try again');
      }
      const entry = await beginInsertion(insertion, bmc, this.#options);
      await this.#login.keep(bmc, insertion.order);
      await this.#record(bmc, entry);
    }, this.#options);
    this.#follow();
    await this.#advanceNow(insertion.id);
  }

  /** Writes what a client requests: from then on `settle` carries it out, even if the client gets no answer. */
  async #record(bmc: VirtualMachineBMC, entry: MediaStatus): Promise<void> {
    await sendSetting(() => this.#steps.write(bmc, entry), {}, 'read the drive before you try again');
  }

  /** Impossible insertions fail at once and leave the drive empty; temporary failures are left to `settle`. */
  async #advanceNow(id: string): Promise<void> {
    const { logger, wake } = this.#options;
    try {
      await this.#steps.advance();
    } catch (error) {
      const isFinal = error instanceof MachineError && error.code === 'Forbidden';
      logger.warn({ err: error }, isFinal ? 'an image could not be inserted' : 'an image is inserted later');
      wake();
      if (!isFinal) return;
      await this.#eject();
      throw error;
    }
    const entry = this.#entryOf(this.#bmc);
    if (entry?.id !== id || entry.phase !== 'Failed') return;
    const { message = 'the image could not be inserted' } = entry;
    await this.#eject();
    throw new MachineError('NotSupported', message);
  }

  /** @returns what the guest still has */
  async #eject(): Promise<string | undefined> {
    const { client, machine, status, logger, wake } = this.#options;
    const { isEmpty, kept } = await changeMachine(async () => {
      const pair = await readMachine(client, machine);
      const bmc = await status.read();
      const entry = this.#entryOf(bmc);
      if (entry === undefined || entry.phase === 'Ejected') return { isEmpty: true };
      const kept = isKeptByGuest(entry, pair) ? KEPT : undefined;
      if (entry.phase === 'Ejecting') return { isEmpty: false, kept };
      const message = kept ?? 'the image was ejected';
      await this.#record(bmc, { ...entry, phase: 'Ejecting', inserted: false, message });
      return { isEmpty: false, kept };
    }, this.#options);
    if (isEmpty) return undefined;
    try {
      await this.#steps.advance();
    } catch (error) {
      wake();
      if (error instanceof MachineError && error.code !== 'Unavailable' && error.code !== 'Busy') throw error;
      logger.warn({ err: error }, 'an image is ejected later');
    }
    this.#follow();
    return kept;
  }

  /** A refusal is retried after the next change and does not block the other work of the BMC. */
  #bear(error: unknown): void {
    if (!(error instanceof MachineError) || !['InvalidState', 'Forbidden'].includes(error.code)) throw error;
    const { logger, report } = this.#options;
    logger.warn({ err: error }, 'the image in the drive can be neither inserted nor ejected');
    if (this.#borne === error.message) return;
    this.#borne = error.message;
    report(
      'Warning',
      'MediaRefused',
      `The image in the drive ${this.id} is neither inserted nor ejected: ${error.message}`,
    );
  }

  /** @param work returns additional text for the report of success */
  async #reported(
    reason: BMCAction,
    what: string,
    requester: Requester,
    work: () => Promise<string | undefined>,
  ): Promise<string | undefined> {
    const { log, logger, report, wake } = this.#options;
    const { protocol, user, address } = requester;
    const asked = `${what}, as ${user} asked over ${protocol} from ${address}`;
    const fields = { action: reason, protocol, user, client: address };
    let more: string | undefined;
    try {
      more = await work();
    } catch (error) {
      const why = error instanceof MachineError ? error.message : 'it failed';
      const outcome = error instanceof MachineError && error.mayBeDone ? 'Unknown' : 'Refused';
      const message = `${outcome === 'Unknown' ? 'Unknown outcome' : 'Refused'}: ${asked}: ${why}`;
      logger.warn({ ...fields, err: error }, message);
      report('Warning', `${reason}${outcome}`, message);
      throw error;
    }
    logger.info(fields, asked);
    log.append({
      kind: 'Media',
      change: reason === 'MediaInserted' ? 'Inserted' : 'Ejected',
      slot: this.id,
      requester,
    });
    const sentence = `${asked[0]?.toUpperCase() ?? ''}${asked.slice(1)}`;
    report('Normal', reason, more === undefined ? sentence : `${sentence}: ${more}`);
    wake();
    return more;
  }
}
