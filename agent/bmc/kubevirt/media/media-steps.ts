import {
  DATA_VOLUMES,
  type JsonPatchOp,
  type MediaSlot,
  type MediaStatus,
  VIRTUAL_MACHINES,
  type VirtualMachineBMC,
} from '../../../../api/index.ts';
import { isInvalid, isNotFound, type ObjectRef } from '@groundcrew/controller-runtime';
import { changeMachine, type MachineContext, readMachine } from '../machine-objects.ts';
import { withAdvice } from './import-failure.ts';
import { isMasked, maskedUrl, shownUrl, withMaskedUrls } from './image-url.ts';
import { emptied, entriesWith, entryOf, type MediaView } from './media-drive.ts';
import type { MediaLogin } from './media-login.ts';
import { dataVolumeOf } from './media-volume.ts';
import { hasStrayImage, type MediaStep, nextStep } from './next-step.ts';

/** Maximum steps of one run; an insertion and ejection need fewer. */
const MAX_STEPS = 12;
/** Longest sentence in the status. */
const MAX_MESSAGE = 2048;

export interface MediaStepsOptions extends MachineContext {
  /** Power cycles the machine; the caller is in the queue of its writes. @throws MachineError */
  powerCycle: () => Promise<unknown>;
}

/** The steps of insertions and ejections of one drive in the cluster. Each step is idempotent and may be repeated by any agent. */
export class MediaSteps {
  readonly #slot: MediaSlot;
  readonly #login: MediaLogin;
  readonly #options: MediaStepsOptions;

  constructor(slot: MediaSlot, login: MediaLogin, options: MediaStepsOptions) {
    this.#slot = slot;
    this.#login = login;
    this.#options = options;
  }

  /**
   * Runs steps, each derived from the objects in the API, until none is left.
   *
   * @throws MachineError
   */
  async advance(): Promise<void> {
    await changeMachine(async () => {
      for (let steps = 0; steps < MAX_STEPS; steps += 1) {
        const view = await this.#read();
        const step = nextStep(view);
        if (step.do === 'rest') return;
        await this.#take(step, view);
      }
    }, this.#options);
  }

  /** @throws ApiError 409 if the BMC has changed */
  async write(bmc: VirtualMachineBMC, entry: MediaStatus): Promise<void> {
    const { image } = entry;
    const masked = image === undefined ? entry : { ...entry, image: maskedUrl(image) };
    await this.#options.status.write(bmc, { virtualMedia: entriesWith(bmc, masked) });
  }

  async #read(): Promise<MediaView> {
    const { client, status, machine, clock } = this.#options;
    const pair = await readMachine(client, machine);
    // Read the BMC after the VM: a VM that a deleted BMC has released must not be written.
    const bmc = await status.read();
    const slot = this.#slot;
    const entry = entryOf(bmc, slot);
    const volume = entry?.volume === undefined ? undefined : await client.find(DATA_VOLUMES, this.#volumeRef(entry));
    return { bmc, slot, entry, ...pair, volume, now: clock.now() };
  }

  async #take(step: Exclude<MediaStep, { do: 'rest' }>, view: MediaView): Promise<void> {
    const { bmc, entry, volume } = view;
    if (step.do === 'patch machine') {
      await this.#patchMachine(step.patch, view);
      return;
    }
    if (step.do === 'power cycle') {
      await this.#options.powerCycle();
      this.#options.report('Normal', 'MediaReleased', RELEASED);
      return;
    }
    // All other steps are of an insertion.
    if (entry === undefined) return;
    switch (step.do) {
      case 'make volume':
        await this.#makeVolume(bmc, entry);
        return;
      case 'delete volume': {
        const { uid = '' } = volume?.metadata ?? {};
        // Foreground deletion: the volume's name is free only after its claim is gone.
        const options = { uid, propagationPolicy: 'Foreground' } as const;
        await this.#options.client.delete(DATA_VOLUMES, this.#volumeRef(entry), options);
        return;
      }
      case 'note':
        await this.#note(bmc, entry, step.change);
    }
  }

  async #patchMachine(patch: readonly JsonPatchOp[], { bmc, slot, entry, vm }: MediaView): Promise<void> {
    const { client, machine, report } = this.#options;
    try {
      await client.patch(VIRTUAL_MACHINES, machine, 'json', patch);
    } catch (error) {
      if (entry?.phase !== 'Preparing' || !isInvalid(error)) throw error;
      await this.#fail(bmc, entry, `KubeVirt refuses the image: ${error.serverMessage}`);
      return;
    }
    if (hasStrayImage(vm, slot, entry)) report('Warning', 'MediaRemoved', STRAY);
  }

  async #makeVolume(bmc: VirtualMachineBMC, entry: MediaStatus): Promise<void> {
    const url = await this.#login.urlOf(bmc, entry);
    if (url === undefined) {
      await this.#fail(bmc, entry, 'the Secret with the URL of the image is missing: insert the image again');
      return;
    }
    try {
      await this.#options.client.apply(DATA_VOLUMES, dataVolumeOf(bmc, this.#slot, entry, url));
    } catch (error) {
      if (isNotFound(error)) {
        await this.#fail(bmc, entry, 'CDI (Containerized Data Importer) is not installed in the cluster');
      } else if (isInvalid(error) && !error.serverMessage.includes('already exists')) {
        await this.#fail(bmc, entry, withAdvice(`CDI refuses the image: ${error.serverMessage}`));
      } else {
        throw error;
      }
    }
  }

  async #fail(bmc: VirtualMachineBMC, entry: MediaStatus, message: string): Promise<void> {
    await this.write(bmc, { ...entry, phase: 'Failing', inserted: false, message: told(message) });
  }

  async #note(bmc: VirtualMachineBMC, entry: MediaStatus, change: Partial<MediaStatus>): Promise<void> {
    const { phase, message } = change;
    // The password and the URL are no longer needed.
    const isImportOver = phase !== undefined && phase !== 'Importing' && phase !== 'Failing' && phase !== 'Ejecting';
    if (isImportOver && (entry.userName !== undefined || isMasked(entry.image))) await this.#login.drop(bmc);
    const next = { ...entry, ...change, ...(message === undefined ? {} : { message: told(message) }) };
    await this.write(bmc, phase === 'Ejected' || phase === 'Failed' ? emptied(next) : next);
    const event = phase === undefined || phase === entry.phase ? undefined : REASONS[phase];
    if (event !== undefined) this.#options.report(event.type, event.reason, sentence(next));
  }

  #volumeRef({ volume = '' }: Pick<MediaStatus, 'volume'>): ObjectRef {
    return { namespace: this.#options.machine.namespace ?? '', name: volume };
  }
}

const STRAY =
  'The virtual machine had an image in its drive that this BMC has no record of, as after a restore from a backup without ' +
  'status: the drive has its previous content again. Insert the image again if it is needed.';

const RELEASED =
  'The virtual machine waited for the image before its boot. It was power cycled, so that it starts without the image.';

const REASONS: Partial<
  Record<NonNullable<MediaStatus['phase']>, { type: 'Normal' | 'Warning'; reason: string } | undefined>
> = {
  Waiting: { type: 'Normal', reason: 'MediaWaiting' },
  Inserted: { type: 'Normal', reason: 'MediaReady' },
  Failed: { type: 'Warning', reason: 'MediaFailed' },
};

function told(message: string): string {
  return withMaskedUrls(message).slice(0, MAX_MESSAGE);
}

function sentence({ image = '', message = '' }: MediaStatus): string {
  return `${shownUrl(image)}: ${message}`;
}
