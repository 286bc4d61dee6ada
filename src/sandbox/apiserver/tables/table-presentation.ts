import type { JsonObject, Json } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { badRequest } from '../status.ts';
import type { Stored } from '../store/index.ts';

interface TablePage {
  items: Stored[];
  revision: number;
  continue?: string;
  remaining?: number;
}

/** meta.k8s.io/v1 Table: what `kubectl get` shows. */
export class TablePresentation {
  readonly #resource: Resource;
  readonly #includeObject: string;
  readonly #now: number;
  #sentColumns = false;

  /** `includeObject`: None, Metadata or Object. Throws 400. */
  constructor(resource: Resource, includeObject: string, now: number) {
    if (!['None', 'Metadata', 'Object'].includes(includeObject))
      throw badRequest(`unrecognized includeObject value: ${JSON.stringify(includeObject)}`);
    this.#resource = resource;
    this.#includeObject = includeObject;
    this.#now = now;
  }

  object(stored: Stored): string {
    return this.#table({ resourceVersion: stored.object.metadata.resourceVersion }, [stored.object]);
  }

  list(page: TablePage): string {
    const metadata = {
      resourceVersion: String(page.revision),
      ...(page.continue === undefined ? {} : { continue: page.continue }),
      ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
    };
    return this.#table(
      metadata,
      page.items.map(({ object }) => object),
    );
  }

  bookmark(resourceVersion: string, more: JsonObject): string {
    const metadata = { resourceVersion, ...more };
    const object = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
    return JSON.stringify({
      kind: 'Table',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion },
      columnDefinitions: null,
      rows: [{ cells: [], object }],
    });
  }

  #table(metadata: JsonObject, objects: ApiObject[]): string {
    const columns = this.#resource.columns;
    // In a watch the columns come with the first event only.
    const columnDefinitions = this.#sentColumns
      ? null
      : columns.map(({ name, type, format, description, priority }) => ({
          name,
          type,
          format: format ?? '',
          description: description ?? '',
          priority: priority ?? 0,
        }));
    this.#sentColumns = true;
    const rows = objects.map((object) => ({
      cells: columns.map(({ cell }) => (cell(object, this.#now) ?? null) as Json),
      ...this.#rowObject(object),
    }));
    return JSON.stringify({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions, rows });
  }

  #rowObject(object: ApiObject): JsonObject {
    if (this.#includeObject === 'None') return {};
    if (this.#includeObject === 'Object') return { object: { ...object, apiVersion: apiVersionOf(this.#resource) } };
    return { object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata } };
  }
}
