import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { expect, it } from 'vitest';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { startVirtApi } from './virt-api.ts';

it('ends no idle connection: kube-apiserver may send the next review on it at that moment, and fails', async () => {
  const { cert, key } = await issueServerCertificate({ names: ['virt-api'], now: Date.now() });
  const api = await startVirtApi({
    host: '127.0.0.1',
    certificate: cert,
    key,
    aggregator: undefined,
    subresources: {} as never,
    sockets: {},
    admission: {} as never,
    logger: silentLogger,
  });
  const url = `https://127.0.0.1:${api.port}/apis/subresources.kubevirt.io/v1`;
  const [answer] = (await once(get(url, { rejectUnauthorized: false }), 'response')) as [IncomingMessage];
  answer.resume();
  // Node says here after how many seconds it ends the connection.
  expect(answer.headers).not.toHaveProperty('keep-alive');
  await api.close();
});
