import type { ApiObject, ManagedFieldsEntry } from '../objects.ts';
import { FieldSet } from './field-set.ts';
import { readManagers, writeManagers, type Managers } from './managers.ts';

const SCALE = 'autoscaling/v1';
const REPLICAS = FieldSet.of(['f:spec', 'f:replicas']);

/** Who owns an object's replicas, as seen through its scale subresource: apimachinery's ScaleHandler. */
export class ScaleFields {
  readonly #object: ApiObject;
  readonly #replicas: FieldSet;

  /** `replicasPath`: where the object has its replicas, such as `.spec.replicas`. */
  constructor(object: ApiObject, replicasPath: string) {
    this.#object = object;
    const keys = replicasPath.split('.').filter((key) => key !== '');
    this.#replicas = FieldSet.of(keys.map((key) => `f:${key}`));
  }

  toScale(): ManagedFieldsEntry[] {
    const managers: Managers = new Map();
    for (const [key, owned] of this.#managers())
      if (this.#hasReplicas(owned.set)) managers.set(key, { ...owned, apiVersion: SCALE, set: REPLICAS });
    return writeManagers(managers);
  }

  /** The object's managedFields after those of its Scale have become `entries`. */
  toParent(entries: ManagedFieldsEntry[]): ManagedFieldsEntry[] {
    const { apiVersion } = this.#object;
    const scale = readManagers(entries);
    const before = this.#managers();
    const managers: Managers = new Map();
    for (const [key, owned] of before) {
      const isKept = !this.#hasReplicas(owned.set) || scale.delete(key);
      const set = isKept ? owned.set : owned.set.minus(this.#replicas);
      if (!set.isEmpty) managers.set(key, { ...owned, set });
    }
    for (const [key, owned] of scale) {
      if (owned.set.intersection(REPLICAS).isEmpty) continue;
      managers.set(key, { ...owned, apiVersion, time: before.get(key)?.time, set: this.#replicas });
    }
    return writeManagers(managers);
  }

  #managers(): Managers {
    return readManagers(this.#object.metadata.managedFields);
  }

  #hasReplicas(set: FieldSet): boolean {
    return !set.intersection(this.#replicas).isEmpty;
  }
}
