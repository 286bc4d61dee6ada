import type { ApiObject } from '../objects.ts';

/** An object as it is in the store, with its JSON text made once for all who read it. */
export class Stored {
  readonly object: ApiObject;
  readonly revision: number;
  #json: string | undefined;
  #itemJson: string | undefined;

  /** `json`: its text, where that is known already. */
  constructor(object: ApiObject, revision: number, json?: string) {
    this.object = object;
    this.revision = revision;
    this.#json = json;
  }

  /** As an item of a list of one built-in kind: Go leaves the kind to the list there. */
  get itemJson(): string {
    const { apiVersion: _apiVersion, kind: _kind, ...rest } = this.object;
    this.#itemJson ??= JSON.stringify(rest);
    return this.#itemJson;
  }

  get json(): string {
    this.#json ??= JSON.stringify(this.object);
    return this.#json;
  }
}
