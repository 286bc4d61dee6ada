import { DATA_VOLUMES, type DataVolume, type MediaStatus } from '../../../api/index.ts';
import type { ObjectWatch, ObjectWatches } from '../watches/index.ts';

/** Watches the DataVolume of an insertion while that matters: most BMCs have none most of the time. */
export class FollowedVolume {
  readonly #watches: ObjectWatches;
  readonly #onChange: () => void;
  #watch: { name: string; volume: ObjectWatch<DataVolume> } | undefined;

  constructor(watches: ObjectWatches, onChange: () => void) {
    this.#watches = watches;
    this.#onChange = onChange;
  }

  /** The API server has told whether there is one. */
  get hasSettled(): boolean {
    return this.#watch?.volume.hasSettled === true;
  }

  get object(): DataVolume | undefined {
    return this.#watch?.volume.object;
  }

  /** @param entry of the drive in the status, as it is now */
  follow({ phase, volume: name }: Partial<MediaStatus> = {}): void {
    const matters = phase !== undefined && phase !== 'Ejected' && phase !== 'Failed';
    if (this.#watch?.name === name && matters) return;
    this.stop();
    if (matters && name !== undefined) {
      this.#watch = { name, volume: this.#watches.watch(DATA_VOLUMES, name, this.#onChange) };
    }
  }

  stop(): void {
    this.#watch?.volume.stop();
    this.#watch = undefined;
  }
}
