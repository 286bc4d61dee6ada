import type { Secret } from '@groundcrew/controller-runtime';
import type { ObjectWatch } from '../objects/named-watches.ts';
import { newerOf } from '../objects/object-version.ts';

export interface CopiedCredentialsOptions {
  /** The copy in the Secret of the agent. */
  copy: () => Secret | undefined;
  /** Why there is no copy although the Secret exists. */
  withheld: () => string | undefined;
  /** The Secret that was copied, which is read once; undefined: the copy is enough. */
  original: ObjectWatch<Secret> | undefined;
  stop: () => void;
}

/**
 * The credentials of a BMC. The manager copies them into the Secret of the agent, so that the agent needs no permission for the Secrets
 * of users. The Secret that the manager has made is changed by clients too: when its pod is lost, another one takes over before the
 * manager has copied the last change, or while there is no manager. So the copy of such a one is not used before the Secret is read.
 */
export class CopiedCredentials implements ObjectWatch<Secret> {
  readonly isFresh = true;
  readonly #options: CopiedCredentialsOptions;
  #original: ObjectWatch<Secret> | undefined;

  constructor(options: CopiedCredentialsOptions) {
    this.#options = options;
    this.#original = options.original;
  }

  get object(): Secret | undefined {
    const copy = this.#options.copy();
    return copy === undefined ? undefined : newerOf(copy, this.#original?.object);
  }

  get withheld(): string | undefined {
    return this.#options.withheld();
  }

  get hasSettled(): boolean {
    return this.#original?.hasSettled ?? true;
  }

  /** The copy has changed. */
  follow(): void {
    // The copies that follow are of later changes.
    if (this.hasSettled && this.object !== this.#original?.object) this.#forget();
  }

  refresh(): Promise<void> {
    return Promise.resolve();
  }

  stop(): void {
    this.#forget();
    this.#options.stop();
  }

  #forget(): void {
    this.#original?.stop();
    this.#original = undefined;
  }
}
