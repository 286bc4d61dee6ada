import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import { readBytes } from '@groundcrew/controller-runtime';
import { parseJson, type Json, type JsonObject, arrayOr, at, textOr } from '../json.ts';
import type { Store } from '../store/index.ts';
import { CallFailure, type ClientConfig, type Webhook } from './webhook.ts';

const MAX_ANSWER_BYTES = 3 * 1024 * 1024;

interface Endpoint {
  /** The URL for error messages. */
  url: string;
  host: string;
  port: number;
  options: RequestOptions;
}

/** Sends reviews to webhooks over keep-alive connections. */
export class WebhookClient {
  readonly #store: Store;
  /** By the JSON text of the ClientConfig. */
  readonly #agents = new Map<string, Agent>();

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Sends a review.
   *
   * @returns the webhook's answer
   * @throws CallFailure if there is no valid answer
   */
  async call(webhook: Webhook, review: JsonObject): Promise<Json> {
    const { service } = webhook.client;
    const { url, host, port, options } = this.#endpoint(webhook);
    const signal = AbortSignal.timeout(webhook.timeoutSeconds * 1000);
    let answer: Answer;
    try {
      const address = service === undefined ? { host, port } : serviceAddress(this.#store, service);
      answer = await post({ ...options, ...address, signal }, Buffer.from(JSON.stringify(review)));
    } catch (error) {
      const reason = signal.aborted ? 'context deadline exceeded' : problemOf(error);
      throw new CallFailure(webhook, `failed to call webhook: Post ${JSON.stringify(url)}: ${reason}`, error);
    }
    const { status, body } = answer;
    if (status < 200 || status > 206)
      throw new CallFailure(webhook, `failed to call webhook: it answered with the status code ${status}`);
    try {
      return parseJson(body.toString('utf8'));
    } catch (error) {
      throw new CallFailure(webhook, `failed to call webhook: its answer is not JSON: ${problemOf(error)}`, error);
    }
  }

  /** Closes the connections to other webhooks. Calls in progress finish first. */
  keepOnly(webhooks: readonly Webhook[]): void {
    const used = new Set(webhooks.map(({ client }) => JSON.stringify(client)));
    for (const [key, agent] of this.#agents) {
      if (used.has(key)) continue;
      this.#agents.delete(key);
      agent.on('free', (socket: Socket) => {
        socket.destroy();
      });
      for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
    this.#agents.clear();
  }

  #endpoint(webhook: Webhook): Endpoint {
    const { client, timeoutSeconds } = webhook;
    const { service, ca } = client;
    const given =
      service === undefined
        ? (client.url ?? '')
        : `https://${service.name}.${service.namespace}.svc:${service.port}${client.path}`;
    const base = URL.parse(given);
    // The configuration can contain an invalid port.
    if (base === null)
      throw new CallFailure(webhook, `failed to call webhook: Post ${JSON.stringify(given)}: invalid URL`);
    const path = `${base.pathname}?timeout=${timeoutSeconds}s`;
    const host = base.hostname.replace(/^\[|\]$/g, '');
    return {
      // URL omits the default port, 443; kube-apiserver shows the port of a service.
      url: `https://${service === undefined ? base.host : `${base.hostname}:${service.port}`}${path}`,
      host,
      port: base.port === '' ? 443 : Number(base.port),
      options: {
        method: 'POST',
        path,
        agent: this.#agent(client),
        headers: {
          host: base.host,
          accept: 'application/json, */*',
          'content-type': 'application/json',
          'user-agent': 'kube-apiserver-admission',
        },
        ...(service === undefined ? {} : { servername: host }),
        ...(ca === undefined ? {} : { ca }),
      },
    };
  }

  #agent(client: ClientConfig): Agent {
    const key = JSON.stringify(client);
    const agent = this.#agents.get(key) ?? new Agent({ keepAlive: true });
    this.#agents.set(key, agent);
    return agent;
  }
}

interface Answer {
  status: number;
  body: Buffer;
}

async function post(options: RequestOptions, body: Buffer): Promise<Answer> {
  const outgoing = httpsRequest(options);
  outgoing.setHeader('content-length', body.length);
  // An error after the start of the response is reported to the reader of the response.
  outgoing.on('error', () => undefined);
  outgoing.end(body);
  let answer: IncomingMessage;
  try {
    [answer] = (await once(outgoing, 'response')) as [IncomingMessage]; // the event's arguments
  } catch (error) {
    outgoing.destroy();
    // The server closed the idle connection while this request was sent. It has not processed the request.
    if (outgoing.reusedSocket && isReset(error)) return await post(options, body);
    throw error;
  }
  return { status: answer.statusCode ?? 0, body: await readBytes(answer, MAX_ANSWER_BYTES, tooLong) };
}

function problemOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tooLong(): Error {
  return new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`);
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET';
}

export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The address of a Service: its cluster IP or external name.
 *
 * @throws Error with kube-apiserver's message
 */
function serviceAddress(
  store: Store,
  { namespace, name, port }: { namespace: string; name: string; port: number },
): ServiceAddress {
  const service = store.collection('/services').get(`${namespace}/${name}`)?.object;
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  if (at(service, 'spec', 'type') === 'ExternalName')
    return { host: textOr(at(service, 'spec', 'externalName')), port };
  const host = textOr(at(service, 'spec', 'clusterIP'));
  if (host === 'None') throw new Error('cannot route to service with ClusterIP "None"');
  if (!arrayOr(at(service, 'spec', 'ports')).some((item) => at(item, 'port') === port))
    throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  return { host, port };
}
