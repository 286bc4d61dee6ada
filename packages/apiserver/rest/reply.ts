import type { ServerResponse } from 'node:http';

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
