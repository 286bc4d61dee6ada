import type { ApiObject } from './objects.ts';
import type { Resource } from './resources/index.ts';
import { badRequest } from './status.ts';

export type ObjectMatch = (object: ApiObject) => boolean;

type Fields = Resource['selectableFields'];

/**
 * Parses `a=b,c!=d` over the fields that the resource can be selected by; a backslash makes `,`, `=` and itself part of a
 * value. Throws 400 for what cannot be parsed, and for other fields.
 */
export function parseFieldSelector(text: string, resource: Resource): ObjectMatch {
  const fields = selectableFields(resource);
  const parsed = splitTerms(text).map((term) => parseTerm(term, text));
  const terms = parsed.map(({ path, value, equals }) => {
    const read = Object.hasOwn(fields, path) ? fields[path] : undefined;
    if (read === undefined) throw unknownField(path, resource);
    return { value, equals, read };
  });
  return (object) => terms.every(({ read, value, equals }) => (read(object) === value) === equals);
}

/** In alphabetical order, as Go looks at them: the first that is wrong is the one that is told. */
function splitTerms(text: string): string[] {
  const terms = text.match(/(?:[^\\,]|\\[^])+\\?|\\/g) ?? [];
  return [...terms].sort();
}

function parseTerm(term: string, text: string): { path: string; equals: boolean; value: string } {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${term}'`);
  const [, path = '', operator = '', value = ''] = match;
  return { path, equals: operator !== '!=', value: unescaped(value) };
}

function unescaped(text: string): string {
  return text.replaceAll(/\\([^]?)|=/g, (found, escaped: string | undefined) => {
    if (found === '=') throw badRequest('invalid field selector: unescaped character in value: 61');
    if (escaped !== undefined && /^[\\,=]$/.test(escaped)) return escaped;
    throw badRequest(`invalid field selector: invalid escape sequence: ${found}`);
  });
}

function selectableFields(resource: Resource): Fields {
  return {
    'metadata.name': (object) => object.metadata.name,
    ...(isWithoutNamespaceField(resource) ? {} : { 'metadata.namespace': (object) => object.metadata.namespace ?? '' }),
    ...resource.selectableFields,
  };
}

/** Cluster-scoped kinds with field labels of their own; those without have both fields of any object. */
function isWithoutNamespaceField(resource: Resource): boolean {
  return !resource.namespaced && hasOwnLabels(resource);
}

function hasOwnLabels({ custom, selectableFields: own }: Resource): boolean {
  return custom || Object.keys(own).length > 0;
}

function unknownField(path: string, resource: Resource): Error {
  return badRequest(
    hasOwnLabels(resource)
      ? `field label not supported: ${path}`
      : `${JSON.stringify(path)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}
