import type { Resource } from '../resources/index.ts';
import { methodNotAllowed, StatusError } from '../status.ts';

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** 405, as the router of built-in kinds words it, and as the handler of custom resources does. */
export function refuseMethod({ custom, group, plural }: Resource, method: string): StatusError {
  if (!custom) return methodNotAllowed();
  const message = `${VERBS[method] ?? ''} is not supported on resources of kind "${plural}.${group}"`;
  return new StatusError(405, 'MethodNotAllowed', message, { group, kind: plural });
}
