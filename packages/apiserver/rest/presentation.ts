import type { JsonObject } from '../json.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import type { Stored } from '../store/index.ts';
import { TablePresentation } from '../tables/table-presentation.ts';
import type { Page } from './lister.ts';

/** The form of objects in a response. */
export type Representation = 'Object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

/** Converts stored objects to the requested representation, as JSON text. */
export interface Presentation {
  object(stored: Stored): string;
  list(page: Page): string;
  /** The object of a bookmark event. `more`: additional metadata. */
  bookmark(resourceVersion: string, more: JsonObject): string;
}

/** The objects themselves, in the resource's version. */
class PlainPresentation implements Presentation {
  readonly #resource: Resource;
  readonly #apiVersion: string;

  constructor(resource: Resource) {
    this.#resource = resource;
    this.#apiVersion = apiVersionOf(resource);
  }

  object(stored: Stored): string {
    // Conversion strategy None: versions differ only in apiVersion.
    return stored.object.apiVersion === this.#apiVersion
      ? stored.json
      : JSON.stringify({ ...stored.object, apiVersion: this.#apiVersion });
  }

  list(page: Page): string {
    // Lists of custom resources always have `continue`.
    const metadata = { ...(this.#resource.custom ? { continue: '' } : {}), ...listMetadata(page) };
    const items = page.items.map((stored) => (this.#resource.custom ? this.object(stored) : stored.itemJson)).join(',');
    return `{"kind":${JSON.stringify(this.#resource.listKind)},"apiVersion":${JSON.stringify(this.#apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[${items}]}`;
  }

  bookmark(resourceVersion: string, more: JsonObject): string {
    return JSON.stringify({
      kind: this.#resource.kind,
      apiVersion: this.#apiVersion,
      metadata: { resourceVersion, ...more },
    });
  }
}

/** metav1.PartialObjectMetadata. */
class MetadataPresentation implements Presentation {
  object({ object }: Stored): string {
    return JSON.stringify(this.#partial(object.metadata));
  }

  list(page: Page): string {
    const items = page.items.map(({ object }) => this.#partial(object.metadata));
    return JSON.stringify({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: listMetadata(page),
      items,
    });
  }

  bookmark(resourceVersion: string, more: JsonObject): string {
    return JSON.stringify(this.#partial({ resourceVersion, ...more }));
  }

  #partial(metadata: JsonObject): JsonObject {
    return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  }
}

/** The presentation for the representation that the request selects. Throws 400. */
export function presentationOf({ representation, resource, query }: Presented, clock: { now(): number }): Presentation {
  if (representation === 'Object') return new PlainPresentation(resource);
  if (representation !== 'Table') return new MetadataPresentation();
  const includeObject = query.get('includeObject') ?? '';
  return new TablePresentation(resource, { includeObject, now: () => clock.now() });
}

interface Presented {
  readonly representation: Representation;
  readonly resource: Resource;
  readonly query: URLSearchParams;
}

function listMetadata(page: Page): JsonObject {
  return {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
}
