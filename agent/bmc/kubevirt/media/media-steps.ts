import {
  DATA_VOLUMES,
  ejectPatch,
  type MediaStatus,
  savedMediaPlace,
  VIRTUAL_MACHINES,
  type VirtualMachineBMC,
} from '../../../../api/index.ts';
import { isInvalid, isNotFound, type ObjectRef, retryOnConflict } from '@groundcrew/controller-runtime';
import { changeMachine, type MachineContext, readMachine } from '../machine-objects.ts';
import { isMasked, maskedUrl, shownUrl, withMaskedUrls } from './image-url.ts';
import { emptied, entryOf, type MediaView } from './media-drive.ts';
import type { MediaLogin } from './media-login.ts';
import { dataVolumeOf, withAdvice } from './media-volume.ts';
import { type MediaStep, nextStep } from './next-step.ts';

/** Maximum steps of one run; an insertion and ejection need fewer. */
const MAX_STEPS = 12;
/** Longest sentence in the status. */
const MAX_MESSAGE = 2048;

interface MediaStepsOptions extends MachineContext {
  login: MediaLogin;
}

/** The steps of an insertion and ejection in the cluster. Each step is idempotent and may be repeated by any agent. */
export class MediaSteps {
  readonly #options: MediaStepsOptions;

  constructor(options: MediaStepsOptions) {
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
        const step: MediaStep = view === undefined ? { do: 'rest' } : nextStep(view);
        if (view === undefined || step.do === 'rest') return;
        await this.#take(step, view);
      }
    }, this.#options);
  }

  /** @throws ApiError 409 if the BMC has changed */
  async write(bmc: VirtualMachineBMC, entry: MediaStatus): Promise<void> {
    const { image } = entry;
    const masked = image === undefined ? entry : { ...entry, image: maskedUrl(image) };
    await this.#options.status.write(bmc, { virtualMedia: [masked] });
  }

  async #read(): Promise<MediaView | undefined> {
    const { client, status, machine, clock } = this.#options;
    const pair = await readMachine(client, machine);
    // Read the BMC after the VM: a VM that a deleted BMC has released must not be written.
    const bmc = await status.read();
    const entry = entryOf(bmc);
    if (entry === undefined) return undefined;
    const volume = await client.find(DATA_VOLUMES, this.#volumeRef(entry));
    return { bmc, entry, ...pair, volume, now: clock.now() };
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
        // Foreground deletion: the volume's name is free only after its claim is gone.
        await client.delete(DATA_VOLUMES, this.#volumeRef(entry), { uid, propagationPolicy: 'Foreground' });
        return;
      }
      case 'patch machine':
        try {
          await client.patch(VIRTUAL_MACHINES, machine, 'json', step.patch);
        } catch (error) {
          if (entry.phase !== 'Preparing' || !isInvalid(error)) throw error;
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
    const url = await this.#options.login.urlOf(bmc, entry);
    if (url === undefined) {
      await this.#fail(bmc, entry, 'the Secret with the URL of the image is missing: insert the image again');
      return;
    }
    try {
      await this.#options.client.apply(DATA_VOLUMES, dataVolumeOf(bmc, entry, url));
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

  async #note({ bmc, entry }: MediaView, change: Partial<MediaStatus>): Promise<void> {
    const { phase, message } = change;
    // The password and the URL are no longer needed.
    const isImportOver = phase !== undefined && phase !== 'Importing' && phase !== 'Failing' && phase !== 'Ejecting';
    if (isImportOver && (entry.userName !== undefined || isMasked(entry.image))) await this.#options.login.drop(bmc);
    const next = { ...entry, ...change, ...(message === undefined ? {} : { message: told(message) }) };
    await this.write(bmc, phase === 'Ejected' || phase === 'Failed' ? emptied(next) : next);
    const event = phase === undefined || phase === entry.phase ? undefined : REASONS[phase];
    if (event !== undefined) this.#options.report(event.type, event.reason, sentence(next));
  }

  #volumeRef({ volume = '' }: Pick<MediaStatus, 'volume'>): ObjectRef {
    return { namespace: this.#options.machine.namespace ?? '', name: volume };
  }
}

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

/** Without delays: for a deleted BMC this is the last action. */
const DELAYS = [0, 0, 0, 0, 0];

/**
 * Removes an image that was just inserted if its insertion has ended meanwhile. Another agent, or the manager for a
 * deleted BMC, may have checked the VM before the insertion.
 *
 * @param entry of the inserted image
 * @throws MachineError, ApiError, TransportError
 */
async function takeBack(entry: MediaStatus, { client, status, machine, logger }: MachineContext): Promise<void> {
  const bmc = await status.find();
  const now = bmc?.metadata.deletionTimestamp === undefined ? bmc && entryOf(bmc) : undefined;
  const place = savedMediaPlace(entry);
  const isOn = now !== undefined && now.id === entry.id && now.phase !== 'Ejected' && now.phase !== 'Failed';
  if (isOn || place === undefined) return;
  logger.warn({}, 'an image was inserted after its insertion had ended: removing it');
  await retryOnConflict(
    async () => {
      const { vm } = await readMachine(client, machine);
      const patch = vm === undefined || vm.metadata.uid !== entry.vmUID ? [] : ejectPatch(vm, place);
      if (patch.length > 0) await client.patch(VIRTUAL_MACHINES, machine, 'json', patch);
    },
    { delays: DELAYS },
  );
}
