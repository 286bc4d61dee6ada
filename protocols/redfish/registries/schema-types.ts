import type { Resource, Route } from '../resource.ts';

/** The types of all current resources, without duplicates, sorted: `Chassis.v1_28_0.Chassis`. */
export function schemaTypes(routes: readonly Route[]): string[] {
  const resources = routes.flatMap((route) => (route.path.includes('{') ? [] : (route.find({}) ?? [])));
  return [...new Set(resources.flatMap((resource) => typesOf(resource)))].toSorted();
}

/** Members have routes with parameters; all members of a collection have the same type. */
function typesOf(resource: Resource): string[] {
  const [member] = resource.members?.() ?? [];
  return [resource.type, ...(member === undefined ? [] : typesOf(member.resource))];
}
