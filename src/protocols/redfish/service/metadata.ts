import { liveResources } from './live-resources.ts';
import type { ResourceTree } from './resource-tree.ts';

/**
 * The metadata document of OData (DSP0266 §8.4.1): which schemas the resources are of, and where DMTF keeps them.
 */
export async function metadata(tree: ResourceTree): Promise<string> {
  const live = await liveResources(tree);
  const namespaces = live.flatMap(({ found }) =>
    found.map(({ resource: { type } }) => type.slice(0, type.lastIndexOf('.'))),
  );
  const used = ['ActionInfo.v1_5_0', 'Message.v1_3_0', ...namespaces];
  const byName = Map.groupBy(new Set(used), (namespace) => namespace.split('.')[0] ?? '');
  const references = [...byName]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([name, versions]) => reference(`${name}_v1.xml`, [name, ...versions.filter((version) => version !== name)]));
  return [
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
}

const SCHEMAS = 'http://redfish.dmtf.org/schemas/v1';

function reference(file: string, namespaces: readonly string[]): string {
  const includes = namespaces.map((namespace) => `  <edmx:Include Namespace="${namespace}"/>\n`).join('');
  return ` <edmx:Reference Uri="${SCHEMAS}/${file}">\n${includes} </edmx:Reference>`;
}
