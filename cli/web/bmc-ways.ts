import type { ClientRequest } from 'node:http';
import {
  ApiError,
  CONFIG_MAPS,
  parseStatus,
  readStart,
  type Clock,
  type KubeClient,
  type Status,
  type Transport,
  type TransportOptions,
} from '@groundcrew/controller-runtime';
import { upgradeRequest } from '@groundcrew/controller-runtime/relay-upgrade';
import { httpsTransport } from '@groundcrew/controller-runtime/transport-https';
import { agentName, VIRTUAL_MACHINE_BMCS, type VirtualMachineBMC } from '../../api/index.ts';
import { WEBHOOK_CONFIGURATIONS } from '../status/probe-webhook.ts';
import { OUR_WEBHOOKS } from '../status/selections.ts';
import { RequestError } from './request-error.ts';

/** How the user reaches the cluster. */
export interface Access extends TransportOptions {
  /** URL of an HTTP proxy. */
  proxy?: string;
}

/** How a BMC is reached. */
export interface Way {
  readonly transport: Transport;
  /** Before the BMC's own paths. */
  readonly prefix: string;
  /** @throws RequestError */
  upgrade(path: string, headers: Record<string, string>): Promise<ClientRequest>;
}

export interface BmcRef {
  readonly namespace: string;
  readonly name: string;
}

interface Known {
  readonly way: Promise<Way>;
  readonly found: number;
}

/** Milliseconds for which a way is used without asking again. */
const FRESH = 60_000;
/** Refusals of the API server to be the way: no right, no such Service or subresource. */
const REFUSALS = [403, 404, 405, 501];
/** Namespace of a manager whose webhook configuration cannot be read. */
const HOME = 'groundcrew-system';
const AUTHORITY = 'groundcrew-ca';

export interface BmcWaysOptions {
  client: KubeClient;
  /** To the API server. */
  transport: Transport;
  access: Access;
  clock: Clock;
}

/**
 * The ways to the BMCs: the API server's proxy with the user's own rights; else the BMC's endpoint, whose certificate
 * must be of the installation's authority.
 */
export class BmcWays {
  readonly #options: BmcWaysOptions;
  readonly #known = new Map<string, Known>();
  /** To BMCs, by address and certificates. They outlast what is known of a way: event streams go on. */
  readonly #transports = new Map<string, Transport>();

  constructor(options: BmcWaysOptions) {
    this.#options = options;
  }

  /** @throws RequestError 404, 502 */
  async to(ref: BmcRef): Promise<Way> {
    const now = this.#options.clock.now();
    for (const [key, { found }] of this.#known) if (now - found >= FRESH) this.#known.delete(key);
    const key = `${ref.namespace}/${ref.name}`;
    let known = this.#known.get(key);
    if (known === undefined) {
      known = { way: this.#find(ref), found: now };
      this.#known.set(key, known);
      // A failure is not remembered.
      known.way.catch(() => this.#known.delete(key));
    }
    return await known.way;
  }

  async close(): Promise<void> {
    this.#known.clear();
    await Promise.all([...this.#transports.values()].map((transport) => transport.close()));
  }

  async #find(ref: BmcRef): Promise<Way> {
    const bmc = await this.#bmc(ref);
    const proxied = this.#throughApiServer(bmc);
    const refusal = await refusalOf(proxied);
    if (refusal === undefined) return proxied;
    return await this.#direct(bmc, refusal);
  }

  async #bmc(ref: BmcRef): Promise<VirtualMachineBMC> {
    try {
      return await this.#options.client.get(VIRTUAL_MACHINE_BMCS, ref);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404)
        throw new RequestError(404, `There is no VirtualMachineBMC ${ref.namespace}/${ref.name}.`, { cause: error });
      throw unreached(error);
    }
  }

  #throughApiServer({ metadata: { namespace = '' }, spec }: VirtualMachineBMC): Way {
    const { transport, access } = this.#options;
    const service = `https:${agentName(spec.virtualMachineRef.name)}:redfish`;
    const prefix = `/api/v1/namespaces/${namespace}/services/${service}/proxy`;
    return {
      transport,
      prefix,
      upgrade: async (path, headers) => {
        if (access.proxy !== undefined)
          throw new RequestError(501, 'The kubeconfig goes through a proxy, which consoles do not.');
        return await upgradeRequest(access, prefix + path, headers);
      },
    };
  }

  async #direct(bmc: VirtualMachineBMC, refusal: string): Promise<Way> {
    const server = bmc.status?.endpoints?.redfish ?? '';
    if (!server.startsWith('https://'))
      throw new RequestError(502, `The API server's proxy: ${refusal}. The BMC has no endpoint of its own either.`);
    const options = { server, ca: await this.#authority(refusal) };
    const key = `${server}\n${options.ca}`;
    const transport = this.#transports.get(key) ?? httpsTransport(options);
    this.#transports.set(key, transport);
    return {
      transport,
      prefix: '',
      upgrade: async (path, headers) => await upgradeRequest(options, path, headers),
    };
  }

  /** The certificates of the authority, from managers' namespaces only: others could publish one of their own. */
  async #authority(refusal: string): Promise<string> {
    const { client } = this.#options;
    const homes = new Set([HOME]);
    try {
      const { items } = await client.list(WEBHOOK_CONFIGURATIONS, OUR_WEBHOOKS);
      for (const { metadata } of items) homes.add(metadata.name.replace(/^webhook-groundcrew-/, ''));
    } catch (error) {
      if (!(error instanceof ApiError)) throw unreached(error);
    }
    const maps = await Promise.all(
      [...homes].map((namespace) => client.find(CONFIG_MAPS, { namespace, name: AUTHORITY }).catch(() => undefined)),
    );
    const bundle = maps.flatMap((map) => map?.data?.['ca.crt'] ?? []).join('\n');
    if (bundle !== '') return bundle;
    throw new RequestError(
      502,
      `The API server's proxy: ${refusal}. ConfigMap ${AUTHORITY} in namespace ${[...homes].join(' or ')} cannot be read, so the BMC's certificate cannot be checked.`,
    );
  }
}

/**
 * Asks for a resource that needs no log-in.
 *
 * @returns why the API server refuses to be the way; undefined: it is one
 * @throws RequestError 502
 */
async function refusalOf({ transport, prefix }: Way): Promise<string | undefined> {
  try {
    const { status, body } = await transport.request({
      method: 'GET',
      path: `${prefix}/redfish`,
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(10_000),
    });
    const message = refusalIn(parseStatus(await readStart(body, LOOKED_AT)));
    if (message === undefined) return undefined;
    if (REFUSALS.includes(status)) return message;
    throw new RequestError(502, `The API server does not reach the BMC: ${message}`);
  } catch (error) {
    throw error instanceof RequestError ? error : unreached(error);
  }
}

/** Bytes of an answer that are looked at. */
const LOOKED_AT = 64 * 1024;

/** Why the API server itself refuses; undefined: another server has answered. */
function refusalIn(answer: Status | string): string | undefined {
  if (typeof answer !== 'string') return answer.message ?? 'no message';
  // kube-apiserver and the embedded one refuse unknown paths in plain text.
  return /^(404 page not found|Forbidden)/.test(answer) ? answer.trim() : undefined;
}

function unreached(error: unknown): RequestError {
  const why = error instanceof Error ? error.message : String(error);
  return new RequestError(502, `The cluster does not answer: ${why}`, { cause: error });
}
