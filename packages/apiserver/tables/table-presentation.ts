import type { JsonObject, Json } from '../json.ts';
import type { ApiObject } from '../objects.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { badRequest } from '../status.ts';
import type { Stored } from '../store/index.ts';
import { completion } from './pod-columns.ts';

const API_VERSION = 'meta.k8s.io/v1';

interface TablePage {
  items: Stored[];
  revision: number;
  continue?: string;
  remaining?: number;
}

export interface TableOptions {
  /** None, Metadata or Object; empty means Metadata. */
  readonly includeObject: string;
  /** The time for ages, in milliseconds. */
  readonly now: () => number;
}

/** Presents objects as a meta.k8s.io Table, the output of `kubectl get`. */
export class TablePresentation {
  readonly #resource: Resource;
  readonly #options: TableOptions;
  #sentColumns = false;

  /** Throws 400 for an invalid includeObject. */
  constructor(resource: Resource, options: TableOptions) {
    const { includeObject } = options;
    if (!['', 'None', 'Metadata', 'Object'].includes(includeObject))
      throw badRequest("includeObject: must be 'Metadata', 'Object', 'None', or empty");
    this.#resource = resource;
    this.#options = options;
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
    const object = { kind: 'PartialObjectMetadata', apiVersion: API_VERSION, metadata };
    return JSON.stringify({
      kind: 'Table',
      apiVersion: API_VERSION,
      metadata: { resourceVersion },
      columnDefinitions: null,
      rows: [{ cells: [], object }],
    });
  }

  #table(metadata: JsonObject, objects: ApiObject[]): string {
    const columns = this.#resource.columns;
    const now = this.#options.now();
    // In a watch, only the first event has the columns.
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
    return JSON.stringify({ kind: 'Table', apiVersion: API_VERSION, metadata, columnDefinitions, rows });
  }

  #conditions(object: ApiObject): JsonObject {
    const conditions = this.#resource.collection === '/pods' ? completion(object) : [];
    return conditions.length === 0 ? {} : { conditions };
  }

  #rowObject(object: ApiObject): JsonObject {
    if (this.#options.includeObject === 'None') return { object: null };
    if (this.#options.includeObject === 'Object')
      return { object: { ...object, apiVersion: apiVersionOf(this.#resource) } };
    return { object: { kind: 'PartialObjectMetadata', apiVersion: API_VERSION, metadata: object.metadata } };
  }
}
