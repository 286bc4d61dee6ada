import type { Logger, Transport } from '@groundcrew/controller-runtime';
import type { RequestTraces } from './request-traces.ts';

/** Requests that change a machine. */
const OF_KUBEVIRT = /^\/apis\/(?:subresources\.)?kubevirt\.io\//;

/**
 * A transport that gives each call for a client's request an audit ID, and logs it. kube-apiserver takes the ID of its audit log
 * from this header.
 *
 * @param now ms of a monotonic clock
 */
export function tracedCalls(transport: Transport, traces: RequestTraces, logger: Logger, now: () => number): Transport {
  return {
    async request(request) {
      const trace = traces.current;
      if (trace === undefined) return await transport.request(request);
      const audit = trace.nextCallId();
      const { method } = request;
      const [path = ''] = request.path.split('?');
      const before = now();
      const told = { audit, method, path };
      const level = method !== 'GET' && OF_KUBEVIRT.test(path) ? 'info' : 'debug';
      try {
        const response = await transport.request({ ...request, headers: { ...request.headers, 'audit-id': audit } });
        logger[level](
          { ...told, status: response.status, ms: Math.round(now() - before) },
          'the API server answered a call',
        );
        return response;
      } catch (error) {
        logger[level]({ ...told, ms: Math.round(now() - before), err: error }, 'the API server did not answer a call');
        throw error;
      }
    },
    close: () => transport.close(),
  };
}
