import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '@groundcrew/controller-runtime/testing';
import { issueServerCertificate } from '@groundcrew/controller-runtime/certificates';
import type { Json } from '../json.ts';
import { Registry } from '../resources/index.ts';
import type { AdmissionRequest } from '../rest/index.ts';
import { Store } from '../store/index.ts';
import { configMap, CONFIG_MAPS, startTestServer, type TestServer } from '../testing/index.ts';
import { WebhookAdmission } from './webhook-admission.ts';

const VALIDATING = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

const request = (more: Partial<AdmissionRequest> = {}): AdmissionRequest => ({
  operation: 'CREATE',
  resource: { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', collection: '/configmaps' },
  subresource: undefined,
  kind: { group: '', version: 'v1', kind: 'ConfigMap' },
  name: 'a',
  namespace: 'default',
  user: { name: 'me', groups: [] },
  options: {},
  dryRun: false,
  warnings: [],
  decode: () => undefined,
  ...more,
});
const configuration = (clientConfig: Json, operations: Json = ['CREATE']) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name: 'hooks' },
  webhooks: [
    {
      name: 'check.test.io',
      clientConfig,
      rules: [{ operations, apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    },
  ],
});

describe('the review of a request', () => {
  const collection = 'admissionregistration.k8s.io/validatingwebhookconfigurations';
  const object = configuration({ url: 'https://check.test' });

  it('is absent if no configuration matches', () => {
    const store = new Store();
    const admission = new WebhookAdmission({ store, registry: new Registry(), logger: silentLogger });
    const stop = admission.start();
    expect(admission.reviewOf(request())).toBeUndefined();
    store.put(collection, object);
    expect(admission.reviewOf(request())).toBeDefined();
    expect(admission.reviewOf(request({ operation: 'DELETE' }))).toBeUndefined();
    expect(admission.reviewOf(request({ subresource: 'status' }))).toBeUndefined();
    store.remove(collection, object);
    expect(admission.reviewOf(request())).toBeUndefined();
    stop();
  });

  it('includes configurations that existed before the start', () => {
    const store = new Store();
    store.put(collection, object);
    const admission = new WebhookAdmission({ store, registry: new Registry(), logger: silentLogger });
    const stop = admission.start();
    expect(admission.reviewOf(request())).toBeDefined();
    stop();
  });
});

describe('a reviewed write', () => {
  let server: TestServer;
  let call: TestServer['call'];
  let webhook: Server;
  let meanwhile: () => Promise<unknown>;
  let asked: number;
  beforeEach(async () => {
    server = await startTestServer();
    ({ call } = server);
    meanwhile = () => Promise.resolve();
    asked = 0;
    const { ca, cert, key } = await issueServerCertificate({
      names: ['a.b', '127.0.0.1'],
      now: Date.now(),
    });
    webhook = createServer({ cert, key }, (incoming, response) => {
      void json(incoming).then((body) => {
        asked += 1;
        const review = body as { request: { uid: string } };
        const answer = { ...review, request: undefined, response: { uid: review.request.uid, allowed: true } };
        const act = meanwhile;
        meanwhile = () => Promise.resolve();
        void act().then(() => response.end(JSON.stringify(answer)));
      });
    });
    webhook.listen(0, '127.0.0.1');
    await once(webhook, 'listening');
    const address = webhook.address();
    const port = address === null || typeof address === 'string' ? 0 : address.port;
    const clientConfig = { url: `https://127.0.0.1:${port}`, caBundle: Buffer.from(ca).toString('base64') };
    await call('POST', CONFIG_MAPS, configMap('there', { k: 'a' }));
    await call('POST', '/api/v1/namespaces', { metadata: { name: 'short' } });
    await call('POST', VALIDATING, configuration(clientConfig, ['*']));
  });
  afterEach(async () => {
    webhook.closeAllConnections();
    webhook.close();
    await server.close();
  });
  const MERGE = { contentType: 'application/merge-patch+json' };
  const status = async (method: string, path: string, body?: Json) =>
    (await call(method, path, body, method === 'PATCH' ? MERGE : {})).status;

  it('is retried if the object changes during the review', async () => {
    meanwhile = () => call('PATCH', `${CONFIG_MAPS}/there`, { data: { other: 'b' } }, MERGE);
    const { body } = await call('PATCH', `${CONFIG_MAPS}/there`, { data: { k: 'c' } }, MERGE);
    expect(body).toMatchObject({ data: { k: 'c', other: 'b' } });
    expect(asked).toBe(3);
  });

  it('is a conflict if its resourceVersion is outdated after the review', async () => {
    const { body } = await call('GET', `${CONFIG_MAPS}/there`);
    meanwhile = () => call('PATCH', `${CONFIG_MAPS}/there`, { data: { other: 'b' } }, MERGE);
    expect(await status('PUT', `${CONFIG_MAPS}/there`, body as Json)).toBe(409);
  });

  it('answers 404 if the object is deleted during the review', async () => {
    meanwhile = () => call('DELETE', `${CONFIG_MAPS}/there`);
    expect(await status('PATCH', `${CONFIG_MAPS}/there`, { data: { k: 'c' } })).toBe(404);
  });

  it('waits for the webhook if its configuration changes during the review', async () => {
    const hooks = `${VALIDATING}/hooks`;
    const elsewhere = [
      { op: 'replace', path: '/webhooks/0/clientConfig/url', value: 'https://127.0.0.1:70000/nowhere' },
      { op: 'add', path: '/webhooks/0/failurePolicy', value: 'Ignore' },
    ];
    meanwhile = () => call('PATCH', hooks, elsewhere, { contentType: 'application/json-patch+json' });
    expect(await status('POST', CONFIG_MAPS, configMap('first'))).toBe(201);
    // An invalid URL is handled like an unreachable server.
    expect(await status('POST', CONFIG_MAPS, configMap('second'))).toBe(201);
    expect(asked).toBe(1);
  });

  it('is refused if another request creates the object during the review', async () => {
    meanwhile = () => call('POST', CONFIG_MAPS, configMap('new'));
    expect(await status('POST', CONFIG_MAPS, configMap('new'))).toBe(409);
  });

  it('is refused if the namespace is deleted during the review', async () => {
    const inShort = '/api/v1/namespaces/short/configmaps';
    meanwhile = () => call('DELETE', '/api/v1/namespaces/short');
    expect(await status('POST', inShort, configMap('late'))).toBeGreaterThanOrEqual(403);
    await expect.poll(() => status('GET', '/api/v1/namespaces/short')).toBe(404);
    expect((await call('GET', inShort)).body).toMatchObject({ items: [] });
  });

  it('is reviewed again if the object changes during the review of its deletion', async () => {
    meanwhile = () => call('PATCH', `${CONFIG_MAPS}/there`, { metadata: { finalizers: ['test.io/hold'] } }, MERGE);
    const { body } = await call('DELETE', `${CONFIG_MAPS}/there`);
    expect(body).toMatchObject({ kind: 'ConfigMap', metadata: { finalizers: ['test.io/hold'] } });
    expect(asked).toBe(3);
  });
});
