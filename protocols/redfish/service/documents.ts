import { createHash } from 'node:crypto';
import type { JsonObject } from '../json.ts';
import { ROOT } from '../uris.ts';
import { type Answer, isUnchanged, jsonAnswer } from './answer.ts';
import { liveResources, type ResourceTree } from './resource-tree.ts';

/** A read-only document without authentication (DSP0266 §13.2.7). It reveals nothing about the machine and is cheap. */
type OpenDocument = (service: { readonly tree: ResourceTree }, ifNoneMatch: string | undefined) => Promise<Answer>;

const ALLOW = { Allow: 'GET, HEAD' };

/** By path without trailing slash. */
export const OPEN_DOCUMENTS: ReadonlyMap<string, OpenDocument> = new Map<string, OpenDocument>([
  ['/redfish', () => Promise.resolve(jsonAnswer(200, { v1: `${ROOT}/` }, ALLOW))],
  [`${ROOT}/odata`, async ({ tree }) => jsonAnswer(200, await odata(tree), ALLOW)],
  [
    `${ROOT}/$metadata`,
    async ({ tree }, ifNoneMatch) => {
      const { text, etag } = await metadataOf(tree).document();
      const headers = { ...ALLOW, ETag: etag };
      if (isUnchanged(ifNoneMatch, etag)) return { status: 304, headers };
      return { status: 200, text, contentType: 'application/xml;charset=utf-8', headers };
    },
  ],
]);

/** The OData service document (DSP0266 §8.4.2): the links of the root. */
async function odata(tree: ResourceTree): Promise<JsonObject> {
  const root = (await tree.find(ROOT)?.resource.read()) ?? {};
  const links = Object.entries({ ...root, ...(root['Links'] as JsonObject | undefined) }).flatMap(([name, value]) => {
    const url = (value as JsonObject | null | undefined)?.['@odata.id'];
    return typeof url === 'string' ? [{ name, kind: 'Singleton', url }] : [];
  });
  return {
    '@odata.context': `${ROOT}/$metadata`,
    value: [{ name: 'Service', kind: 'Singleton', url: `${ROOT}/` }, ...links],
  };
}

interface MetadataDocument {
  readonly text: string;
  /** With quotes. */
  readonly etag: string;
}

/**
 * The OData metadata document (DSP0266 §8.4.1): the schemas in use and their locations at DMTF. It needs no authentication, so it
 * covers all resources; it is rebuilt when a resource with a new schema appears.
 */
class Metadata {
  readonly #tree: ResourceTree;
  #lookedAt: Promise<unknown> | undefined;
  #made: { types: number; document: MetadataDocument } | undefined;

  constructor(tree: ResourceTree) {
    this.#tree = tree;
  }

  async document(): Promise<MetadataDocument> {
    this.#lookedAt ??= liveResources(this.#tree);
    await this.#lookedAt;
    const { types } = this.#tree;
    // Types are only added.
    if (this.#made?.types !== types.size) this.#made = { types: types.size, document: documentOf(types) };
    return this.#made.document;
  }
}

const known = new WeakMap<ResourceTree, Metadata>();

function metadataOf(tree: ResourceTree): Metadata {
  const metadata = known.get(tree) ?? new Metadata(tree);
  known.set(tree, metadata);
  return metadata;
}

function documentOf(types: ReadonlySet<string>): MetadataDocument {
  const namespaces = [...types].map((type) => type.slice(0, type.lastIndexOf('.')));
  const used = new Set(['ActionInfo.v1_5_0', 'Message.v1_3_0', ...namespaces]);
  const byName = Map.groupBy([...used].toSorted(), (namespace) => namespace.split('.')[0] ?? '');
  const references = [...byName]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, versions]) => reference(`${name}_v1.xml`, [name, ...versions.filter((version) => version !== name)]));
  const text = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0">',
    ...references,
    ` <edmx:Reference Uri="${SCHEMAS}/RedfishExtensions_v1.xml">`,
    '  <edmx:Include Namespace="RedfishExtensions.v1_0_0" Alias="Redfish"/>',
    ' </edmx:Reference>',
    ' <edmx:DataServices>',
    '  <Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Service">',
    '   <EntityContainer Name="Service" Extends="ServiceRoot.v1_0_0.ServiceContainer"/>',
    '  </Schema>',
    ' </edmx:DataServices>',
    '</edmx:Edmx>',
    '',
  ].join('\n');
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
}

const SCHEMAS = 'http://redfish.dmtf.org/schemas/v1';

function reference(file: string, namespaces: readonly string[]): string {
  const includes = namespaces.map((namespace) => `  <edmx:Include Namespace="${namespace}"/>\n`).join('');
  return ` <edmx:Reference Uri="${SCHEMAS}/${file}">\n${includes} </edmx:Reference>`;
}
