import type { JsonObject } from '../../json.ts';
import { ROOT } from '../../uris.ts';
import type { ResourceTree } from '../tree/index.ts';

/** The OData service document (DSP0266 §8.4.2): the links of the root. */
export async function odata(tree: ResourceTree): Promise<JsonObject> {
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
