import type { JsonObject } from '../json.ts';
import { apiVersionOf, type Resource } from '../resources/index.ts';
import { StatusError } from '../status.ts';
import type { Stored } from '../store/index.ts';
import { TablePresentation } from '../tables/index.ts';
import type { Page } from './lister.ts';

/** What of a resource's objects an answer shows. */
export interface Representation {
  readonly kind: 'Object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  /** Of meta.k8s.io, for those that have one. */
  readonly version: 'v1' | 'v1beta1';
}

/** Turns stored objects into the representation that the client asked for, as JSON text. */
export interface Presentation {
  object(stored: Stored): string;
  list(page: Page): string;
  /** A watch's bookmark. `more` goes into its metadata. */
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
    // Versions differ in their name only: conversion strategy None.
    return stored.object.apiVersion === this.#apiVersion
      ? stored.json
      : JSON.stringify({ ...stored.object, apiVersion: this.#apiVersion });
  }

  list(page: Page): string {
    // Lists of custom resources always say whether there is more.
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
  readonly #apiVersion: string;

  constructor(version: Representation['version']) {
    this.#apiVersion = `meta.k8s.io/${version}`;
  }

  object({ object }: Stored): string {
    return JSON.stringify(this.#partial(object.metadata));
  }

  list(page: Page): string {
    const items = page.items.map(({ object }) => this.#partial(object.metadata));
    return JSON.stringify({
      kind: 'PartialObjectMetadataList',
      apiVersion: this.#apiVersion,
      metadata: listMetadata(page),
      // Go's list of nothing.
      items: items.length === 0 ? null : items,
    });
  }

  bookmark(resourceVersion: string, more: JsonObject): string {
    return JSON.stringify(this.#partial({ resourceVersion, ...more }));
  }

  #partial(metadata: JsonObject): JsonObject {
    return { kind: 'PartialObjectMetadata', apiVersion: this.#apiVersion, metadata };
  }
}

/** How the objects of a resource are to be shown. Throws 400. */
export function presentationOf(
  { representation: { kind, version }, resource, query }: Presented,
  clock: { now(): number },
): Presentation {
  if (kind === 'Object') return new PlainPresentation(resource);
  if (kind !== 'Table') return new MetadataPresentation(version);
  const includeObject = query.get('includeObject') ?? '';
  return new TablePresentation(resource, { includeObject, version, now: () => clock.now() });
}

interface Presented {
  readonly representation: Representation;
  readonly resource: Resource;
  readonly query: URLSearchParams;
}

/** Sees to it that a list is not asked for as one object's metadata, nor an object as a list's. Throws 406. */
export function checkShape({ kind }: Representation, shape: 'object' | 'list', { custom }: Resource): void {
  if (kind === 'PartialObjectMetadata' && shape === 'list')
    throw notAcceptable(`you requested ${kind}, but the requested object is a list`);
  if (kind !== 'PartialObjectMetadataList' || shape !== 'object') return;
  if (custom) throw new StatusError(500, '', 'content is not a list');
  throw notAcceptable(`you requested ${kind}, but the requested object is not a list`);
}

function notAcceptable(message: string): StatusError {
  return new StatusError(406, 'NotAcceptable', message);
}

function listMetadata(page: Page): JsonObject {
  return {
    resourceVersion: String(page.revision),
    ...(page.continue === undefined ? {} : { continue: page.continue }),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
}
