import type { Transport } from '@groundcrew/controller-runtime';

/** Called for each request to KubeVirt. `code`: the HTTP status, or `<error>` without an answer. */
export type ObserveCall = (call: string, code: string, seconds: number) => void;

/**
 * A transport that measures requests to KubeVirt up to the head of their answer. Watches are left out: they last as long
 * as the server likes.
 *
 * @param now ms of a monotonic clock
 */
export function timedCalls(transport: Transport, now: () => number, observe: ObserveCall): Transport {
  return {
    async request(request) {
      const call = callOf(request.method, request.path);
      if (call === undefined) return await transport.request(request);
      const before = now();
      let code = '<error>';
      try {
        const response = await transport.request(request);
        code = String(response.status);
        return response;
      } finally {
        observe(call, code, (now() - before) / 1000);
      }
    },
    close: () => transport.close(),
  };
}

const SUBRESOURCES: ReadonlySet<string> = new Set([
  'start',
  'stop',
  'restart',
  'reset',
  'softreboot',
  'pause',
  'unpause',
  'expand-spec',
]);

/** `start`, `get`, `patch` and the like; undefined: not a request to KubeVirt, or a watch. */
function callOf(method: string, path: string): string | undefined {
  const [resource = '', query = ''] = path.split('?');
  if (resource.startsWith('/apis/subresources.kubevirt.io/')) {
    const name = resource.slice(resource.lastIndexOf('/') + 1);
    return SUBRESOURCES.has(name) ? name : 'other';
  }
  if (!resource.startsWith('/apis/kubevirt.io/') || query.includes('watch=true')) return undefined;
  return method.toLowerCase();
}
