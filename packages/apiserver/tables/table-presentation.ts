import type { JsonObject, Json } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { badRequest } from '../status.ts';
import type { Stored } from '../store/index.ts';
import { completion } from './pod-columns.ts';

interface TablePage {
  items: Stored[];
  revision: number;
  continue?: string;
  remaining?: number;
}

export interface TableOptions {
  /** None, Metadata (also where it is empty) or Object. */
  readonly includeObject: string;
  /** Of meta.k8s.io. */
  readonly version: 'v1' | 'v1beta1';
  /** For ages; milliseconds. */
  readonly now: () => number;
}

/** meta.k8s.io Table: what `kubectl get` shows. */
export class TablePresentation {
  readonly #resource: Resource;
  readonly #options: TableOptions;
  readonly #apiVersion: string;
  #sentColumns = false;

  /** Throws 400. */
  constructor(resource: Resource, options: TableOptions) {
    const { includeObject, version } = options;
    if (!['', 'None', 'Metadata', 'Object'].includes(includeObject)) {
      throw badRequest(
        `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(includeObject)}: must be 'Metadata', 'Object', 'None', or empty`,
      );
    }
    this.#resource = resource;
    this.#options = options;
    this.#apiVersion = `meta.k8s.io/${version}`;
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
    const object = { kind: 'PartialObjectMetadata', apiVersion: this.#apiVersion, metadata };
    return JSON.stringify({
      kind: 'Table',
      apiVersion: this.#apiVersion,
      metadata: { resourceVersion },
      columnDefinitions: null,
      rows: [{ cells: [], object }],
    });
  }

  #table(metadata: JsonObject, objects: ApiObject[]): string {
    const columns = this.#resource.columns;
    const now = this.#options.now();
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
      cells: columns.map(({ cell }) => (cell(object, now) ?? null) as Json),
      ...this.#conditions(object),
      ...this.#rowObject(object),
    }));
    return JSON.stringify({ kind: 'Table', apiVersion: this.#apiVersion, metadata, columnDefinitions, rows });
  }

  #conditions(object: ApiObject): JsonObject {
    const conditions = this.#resource.collection === '/pods' ? completion(object) : [];
    return conditions.length === 0 ? {} : { conditions };
  }

  #rowObject(object: ApiObject): JsonObject {
    if (this.#options.includeObject === 'None') return { object: null };
    if (this.#options.includeObject === 'Object')
      return { object: { ...object, apiVersion: apiVersionOf(this.#resource) } };
    return { object: { kind: 'PartialObjectMetadata', apiVersion: this.#apiVersion, metadata: object.metadata } };
  }
}
