import type { ApiObject } from '../objects.ts';

/** An object as it is in the store, with its JSON text made once for all who read it. */
export class Stored {
  readonly object: ApiObject;
  readonly revision: number;
  #json: string | undefined;

  constructor(object: ApiObject, revision: number) {
    this.object = object;
    this.revision = revision;
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.object);
    return this.#json;
  }
}
