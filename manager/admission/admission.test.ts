import { X509Certificate } from 'node:crypto';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Secret } from '@groundcrew/controller-runtime';
import { ScriptedApi } from '@groundcrew/controller-runtime/testing';
import { createAdmission, type Admission } from './admission.ts';
import type { WebhookConfiguration } from './webhooks.ts';
import type { AdmissionOptions } from './options.ts';
import { scriptedCaches, type ScriptedCaches } from './testing/scripted-caches.ts';

const SECRET = '/api/v1/namespaces/gc/secrets/groundcrew-webhook-certificates';
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/webhook-groundcrew-gc';

describe('the admission server of the manager', () => {
  let api: ScriptedApi;
  let scripted: ScriptedCaches;
  let stop: AbortController;

  beforeEach(async () => {
    api = new ScriptedApi();
    // The scripted API neither creates objects by apply nor answers SelfSubjectReview.
    for (const path of [CONFIGURATION, CONFIGURATION.replace('validating', 'mutating')])
      api.put(path, { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'X' });
    api.intercept = ({ path }) => (path.includes('selfsubjectreviews') ? { status: 404, body: {} } : undefined);
    scripted = await scriptedCaches(api);
    stop = new AbortController();
  });
  afterEach(() => scripted.close());

  async function run(change: Partial<AdmissionOptions>, check: (admission: Admission) => Promise<void>): Promise<void> {
    const admission = createAdmission({ ...scripted.options, ...change });
    expect(admission.check()).toBe('the admission server has no certificate yet');
    const ended = Promise.all([admission.serve(stop.signal), admission.configurations.run(stop.signal)]);
    await expect.poll(() => admission.check()).toBeUndefined();
    await check(admission);
    stop.abort();
    await ended;
    expect(admission.check()).toBeDefined();
  }
  const certificate = () => {
    const { data = {} } = api.objects.get(SECRET) as Secret;
    return new X509Certificate(Buffer.from(data['tls.crt'] ?? '', 'base64'));
  };
  const clientConfig = async () => {
    const read = () => (api.objects.get(CONFIGURATION) as WebhookConfiguration).webhooks;
    await expect.poll(read).toBeDefined();
    return read()[0]?.clientConfig;
  };

  it('can be reached by its Service', async () => {
    await run({ reachedBy: { service: 'crew-webhook' } }, async () => {
      expect(await clientConfig()).toMatchObject({
        service: { namespace: 'gc', name: 'crew-webhook', path: '/validate', port: 443 },
      });
      // All replicas present the same certificate to the API servers.
      expect(certificate().subjectAltName).toBe('DNS:crew-webhook.gc.svc');
    });
  });

  it.each([
    [{}, /^https:\/\/127\.0\.0\.1:\d+\/validate$/],
    [{ url: 'https://127.0.0.1:1234/' }, /^https:\/\/127\.0\.0\.1:1234\/validate$/],
  ])('can be reached by a URL: %j', async (reachedBy, url) => {
    await run({ reachedBy }, async () => {
      expect((await clientConfig())?.url).toMatch(url);
      expect(certificate().checkIP('127.0.0.1')).toBe('127.0.0.1');
    });
  });

  it('fails if its address is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const admission = createAdmission({ ...scripted.options, address: { host: '127.0.0.1', port } });
    await expect(admission.serve(stop.signal)).rejects.toThrow(/EADDRINUSE/);
    other.close();
  });
});
