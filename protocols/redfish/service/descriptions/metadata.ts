import { createHash } from 'node:crypto';
import { liveResources, type ResourceTree } from '../tree/index.ts';

interface MetadataDocument {
  readonly text: string;
  /** With quotes. */
  readonly etag: string;
}

/**
 * The OData metadata document (DSP0266 §8.4.1): the schemas in use and their locations at DMTF. It needs no authentication, so it
 * covers all resources; it is rebuilt when a resource with a new schema appears.
 */
export class Metadata {
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
