import type { Resource, Route } from '../resource.ts';

/** The types of all resources that there are now, each once, in order: `Chassis.v1_28_0.Chassis`. */
export function schemaTypes(routes: readonly Route[]): string[] {
  const resources = routes.flatMap((route) => (route.path.includes('{') ? [] : (route.find({}) ?? [])));
  return [...new Set(resources.flatMap((resource) => typesOf(resource)))].toSorted();
}

/** Members of collections stand at places that have parameters; as all of a collection are alike, one tells for them. */
function typesOf(resource: Resource): string[] {
  const [member] = resource.members?.() ?? [];
  return [resource.type, ...(member === undefined ? [] : typesOf(member.resource))];
}
