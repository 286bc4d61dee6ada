import { arrayOr, at, isObject, textOr, type JsonObject } from '../json.ts';
import type { ServedResource, ServedSubresource } from './served-resource.ts';

/** The items of a metav1.APIResourceList. */
export function resourceListItems(resources: readonly ServedResource[]): JsonObject[] {
  return resources.flatMap((resource) => [
    {
      name: resource.name,
      singularName: resource.singular,
      namespaced: resource.namespaced,
      kind: resource.kind,
      verbs: [...resource.verbs],
      ...filled('shortNames', resource.shortNames),
      ...filled('categories', resource.categories),
      ...(resource.storageVersionHash === undefined ? {} : { storageVersionHash: resource.storageVersionHash }),
    },
    ...resource.subresources.map(({ name, group, version, kind, verbs }) => ({
      name: `${resource.name}/${name}`,
      singularName: '',
      namespaced: resource.namespaced,
      ...(group === undefined ? {} : { group }),
      ...(version === undefined ? {} : { version }),
      kind,
      verbs: [...verbs],
    })),
  ]);
}

/** The other way round, for what an aggregated server says. Subresources may come without their resource. */
export function readResourceList(list: unknown): ServedResource[] {
  const [group = '', version = ''] = textOr(at(list, 'groupVersion')).split('/');
  const found = new Map<string, ServedResource & { subresources: ServedSubresource[] }>();
  for (const item of arrayOr(at(list, 'resources')).filter(isObject)) {
    const [name = '', subresource] = textOr(item['name']).split(/\/(.*)/s);
    const own = {
      kind: textOr(item['kind']),
      group: textOr(item['group']) || group,
      version: textOr(item['version']) || version,
      verbs: arrayOr(item['verbs']).map(textOr),
    };
    const known = found.get(name) ?? { ...unnamed, name, namespaced: item['namespaced'] === true, subresources: [] };
    if (subresource === undefined) {
      found.set(name, {
        ...known,
        ...own,
        singular: textOr(item['singularName']),
        shortNames: arrayOr(item['shortNames']).map(textOr),
        categories: arrayOr(item['categories']).map(textOr),
      });
    } else {
      found.set(name, { ...known, subresources: [...known.subresources, { name: subresource, ...own }] });
    }
  }
  return [...found.values()];
}

const unnamed = { singular: '', kind: '', group: '', version: '', verbs: [], shortNames: [], categories: [] };

function filled(key: string, values: readonly string[]): JsonObject {
  return values.length === 0 ? {} : { [key]: [...values] };
}
