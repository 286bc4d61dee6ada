import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { afterEach, beforeAll, expect } from 'vitest';
import { type HttpsLimits, RedfishHttpsEndpoint } from '../https/index.ts';
import { selfSigned } from './index.ts';

/** Starts an endpoint on 127.0.0.1 and connects to its ports; both are closed after the test. */
interface EndpointForEach {
  start: (handler: RequestListener, limits?: Partial<HttpsLimits>) => Promise<RedfishHttpsEndpoint>;
  plain: (port?: number) => Promise<Socket>;
  tls: (port?: number) => Promise<Socket>;
}

export function endpointForEach(): EndpointForEach {
  const sockets: Socket[] = [];
  let certificate: { key: string; cert: string };
  let endpoint: RedfishHttpsEndpoint | undefined;
  beforeAll(async () => {
    certificate = await selfSigned('bmc');
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await endpoint?.close();
  });

  return {
    start: async (handler, limits = {}) => {
      const onError = (error: Error): void => {
        expect.fail(error.message);
      };
      endpoint = new RedfishHttpsEndpoint({ addresses: ['127.0.0.1'], port: 0, handler, onError, limits });
      endpoint.setCertificate(certificate);
      await endpoint.start();
      return endpoint;
    },
    plain: async (port = 0) => {
      const socket = connect({ host: '127.0.0.1', port });
      sockets.push(socket.on('error', () => undefined));
      await once(socket, 'connect');
      return socket;
    },
    tls: async (port = 0) => {
      const socket = tlsConnect({ host: '127.0.0.1', port, rejectUnauthorized: false });
      sockets.push(socket);
      await once(socket, 'secureConnect');
      return socket.on('error', () => undefined);
    },
  };
}
