import type { ServerResponse } from 'node:http';
import type { Resource } from '../resources/index.ts';
import { methodNotAllowed, StatusError } from '../status.ts';

/** An answer: a document, or something that writes its own. */
export type Reply =
  | {
      readonly status: number;
      readonly body: string;
      readonly contentType?: string;
      readonly warnings?: readonly string[];
      readonly headers?: Record<string, string>;
    }
  | {
      readonly status: 200;
      readonly contentType?: string;
      readonly warnings?: readonly string[];
      readonly headers?: Record<string, string>;
      readonly stream: (response: ServerResponse) => void;
      /** The stream decides on the status itself. */
      readonly deferred?: true;
    };

export function json(status: number, value: unknown, warnings: readonly string[] = []): Reply {
  return { status, body: JSON.stringify(value), warnings };
}

/** What kube-apiserver says of a path that nothing is at. */
export function pageNotFound(): Reply {
  return { status: 404, body: '404 page not found\n', contentType: 'text/plain; charset=utf-8' };
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** 405, as the router of built-in kinds words it, and as the handler of custom resources does. */
export function refuseMethod({ custom, group, plural }: Resource, method: string): StatusError {
  if (!custom) return methodNotAllowed();
  const message = `${VERBS[method] ?? ''} is not supported on resources of kind "${plural}.${group}"`;
  return new StatusError(405, 'MethodNotAllowed', message, { group, kind: plural });
}
