import { createHash } from 'node:crypto';
import { liveResources, type ResourceTree } from '../tree/index.ts';

interface MetadataDocument {
  readonly text: string;
  /** With its quotes. */
  readonly etag: string;
}

/**
 * The metadata document of OData (DSP0266 §8.4.1): which schemas the resources are of, and where DMTF keeps them. Whoever asks need
 * not be logged in, so that all resources are looked at once; afterwards it is made anew where one of another schema has shown up.
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
    // Nothing is ever taken out of them.
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
