import type { ApiObject } from '../objects.ts';
import type { Resource } from '../resources/index.ts';
import { badRequest } from '../status.ts';

export type ObjectMatch = (object: ApiObject) => boolean;

export interface FieldSelector {
  readonly matches: ObjectMatch;
  /** The one name that can match, where the selector names one. */
  readonly name: string | undefined;
}

/** Parses `a=b,c!=d` over the fields that the resource can be selected by. Throws 400 for others. */
export function parseFieldSelector(text: string, resource: Resource): FieldSelector {
  const fields = selectableFields(resource);
  const terms = text
    .split(',')
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
      if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
      const [, path = '', operator = '', value = ''] = match;
      const read = Object.hasOwn(fields, path) ? fields[path] : undefined;
      if (read === undefined) throw unknownField(path, resource, Object.keys(fields));
      return { path, equals: operator !== '!=', value, read };
    });
  return {
    matches: (object) => terms.every(({ read, value, equals }) => (read(object) === value) === equals),
    name: terms.find(({ path, equals }) => path === 'metadata.name' && equals)?.value,
  };
}

function selectableFields(resource: Resource): Record<string, (object: ApiObject) => string> {
  return {
    'metadata.name': (object) => object.metadata.name,
    'metadata.namespace': (object) => object.metadata.namespace ?? '',
    ...resource.selectableFields,
  };
}

function unknownField(path: string, resource: Resource, known: string[]): Error {
  if (resource.custom) return badRequest(`field label not supported: ${path}`);
  if (Object.keys(resource.selectableFields).length > 0) return badRequest(`field label not supported: ${path}`);
  return badRequest(`"${path}" is not a known field selector: only ${known.map((name) => `"${name}"`).join(', ')}`);
}
