import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect } from 'vitest';
import { eventually, type Cluster, type HttpAnswer } from '../index.ts';
import { WebhookServer, type Handler } from './webhook-server.ts';

type Kind = 'mutating' | 'validating';

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1';

export interface Scene {
  readonly webhooks: WebhookServer;
  /** A unique name, valid for objects. */
  readonly unique: (prefix: string) => string;
  /** One webhook with the given fields; by default only for requests in `namespace`. */
  readonly webhook: (namespace: string, path: string, more?: Record<string, unknown>) => Record<string, unknown>;
  /** Installs a configuration and resolves when it is in force. Returns its name. */
  readonly install: (
    kind: Kind,
    namespace: string,
    webhooks: Record<string, unknown>[],
    name?: string,
  ) => Promise<string>;
  /** Adds a handler at a new path and a webhook for it. Returns the path. */
  readonly one: (kind: Kind, namespace: string, handler?: Handler, more?: Record<string, unknown>) => Promise<string>;
}

/** Webhook configurations that are deleted at the end of the test file, because the server may be shared. */
export function webhookScene({ http }: Pick<Cluster, 'http'>): Scene {
  let server: WebhookServer | undefined;
  const installed: string[] = [];
  const unique = (prefix: string): string => `${prefix}-${randomBytes(4).toString('hex')}`;
  const webhooks = (): WebhookServer => {
    if (server === undefined) throw new Error('the webhook server starts before the first test');
    return server;
  };
  beforeAll(async () => {
    server = await WebhookServer.start();
  });
  afterAll(async () => {
    for (const path of installed) await http('DELETE', path);
    await server?.close();
  });
  const webhook: Scene['webhook'] = (namespace, path, more = {}) => ({
    name: `${unique('hook')}.test.io`,
    clientConfig: webhooks().clientConfig(path),
    rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    objectSelector: { matchExpressions: [{ key: 'probe', operator: 'DoesNotExist' }] },
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...more,
  });
  const install: Scene['install'] = async (kind, namespace, list, name = unique('hooks')) => {
    const collection = `${CONFIGURATIONS}/${kind}webhookconfigurations`;
    const probe = webhooks().answer();
    const body = {
      metadata: { name },
      webhooks: [
        ...list,
        webhook(namespace, probe, { objectSelector: { matchLabels: { probe: name } }, failurePolicy: 'Fail' }),
      ],
    };
    installed.push(`${collection}/${name}`);
    const answer = await http('POST', collection, { body });
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 201 });
    await eventually(async () => {
      const metadata = { name: unique('probe'), labels: { probe: name } };
      await http('POST', `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, { body: { metadata } });
      expect(webhooks().reviews(probe)).not.toHaveLength(0);
    });
    return name;
  };
  return {
    get webhooks() {
      return webhooks();
    },
    unique,
    webhook,
    install,
    one: async (kind, namespace, handler, more) => {
      const path = webhooks().answer(handler);
      await install(kind, namespace, [webhook(namespace, path, more)]);
      return path;
    },
  };
}

/** The messages in a response's Warning headers. */
export function warningsOf({ headers }: HttpAnswer): string[] {
  const { warning = [] } = headers;
  return (Array.isArray(warning) ? warning : [warning]).map((text) => text.replace(/^299 - "(.*)"$/, '$1'));
}
