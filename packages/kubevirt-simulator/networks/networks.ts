import { createSocket, type Socket } from 'node:dgram';
import { CachedWatch, PODS, type Clock, type KubeClient, type Logger, type Pod } from '@groundcrew/controller-runtime';
import type { SwitchPort, VirtualSwitch } from '../guest/index.ts';
import {
  cniConfigOf,
  NETWORK_ATTACHMENT_DEFINITIONS,
  NETWORK_STATUS_ANNOTATION,
  registerNetworks,
  type NetworkAttachmentDefinition,
} from './net-attach-def.ts';

/** UDP port of the sandbox's DHCP agents on their pods' addresses; port 67 requires root. */
export const DHCP_PORT = 10_067;

const BROADCAST = '255.255.255.255';

export interface NetworksOptions {
  client: KubeClient;
  clock: Clock;
  logger: Logger;
  /** Node whose pods are processes of this machine. Default `sandbox`. */
  nodeName?: string;
  /** Default `DHCP_PORT`. */
  dhcpPort?: number;
}

/**
 * The VM networks of the sandbox, on loopback. A datagram of a card goes to the pods on its network: those whose
 * net-attach-def has the same bridge and VLAN. Only DHCP is carried; there are no frames and no packets between cards.
 */
class Networks implements VirtualSwitch {
  readonly #options: NetworksOptions;
  readonly #definitions: CachedWatch<NetworkAttachmentDefinition>;
  readonly #pods: CachedWatch<Pod>;

  constructor(options: NetworksOptions) {
    this.#options = options;
    const { client, clock, logger, nodeName = 'sandbox' } = options;
    this.#definitions = new CachedWatch({ client, kind: NETWORK_ATTACHMENT_DEFINITIONS, clock, logger });
    this.#pods = new CachedWatch({
      client,
      kind: PODS,
      fieldSelector: `spec.nodeName=${nodeName}`,
      indexes: { attached: ({ metadata }) => (metadata.annotations?.[NETWORK_STATUS_ANNOTATION] ? ['yes'] : []) },
      clock,
      logger,
    });
  }

  /** Follows net-attach-defs and pods until `signal` is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#definitions.run(signal), this.#pods.run(signal)]);
  }

  /**
   * Plugs a card in.
   *
   * @param network `namespace/name` of its net-attach-def, which may be created later
   */
  plug(network: string, receive: (datagram: Uint8Array) => void): SwitchPort {
    let socket: Socket | undefined;
    const open = (): Socket => {
      const opened = createSocket('udp4').unref();
      opened.on('message', receive).on('error', (error) => {
        this.#options.logger.warn({ err: error, network }, 'the socket of a card failed');
      });
      opened.bind(0, '127.0.0.1');
      return opened;
    };
    return {
      send: (datagram, to) => {
        const hosts = this.#hostsOn(network, to);
        if (hosts.length === 0) return;
        socket ??= open();
        // A missing server is like a lost datagram: the client sends it again.
        for (const host of hosts) socket.send(datagram, this.#options.dhcpPort ?? DHCP_PORT, host, () => undefined);
      },
      unplug: () => {
        socket?.close();
        socket = undefined;
      },
    };
  }

  /** Addresses of the pods that receive a datagram. */
  #hostsOn(network: string, to: string): string[] {
    const segment = this.#segmentOf(network);
    if (segment === undefined) return [];
    return this.#pods.byIndex('attached', 'yes').flatMap((pod) => {
      const { phase, podIP } = pod.status ?? {};
      if (phase !== 'Running' || podIP === undefined || pod.metadata.deletionTimestamp !== undefined) return [];
      const here = attachmentsOf(pod).filter(({ name }) => this.#segmentOf(name) === segment);
      const hears = to === BROADCAST ? here.length > 0 : here.some(({ ips }) => ips.includes(to));
      return hears ? [podIP] : [];
    });
  }

  #segmentOf(network: string): string | undefined {
    const [namespace = '', name = ''] = network.split('/');
    const definition = this.#definitions.get({ namespace, name });
    if (definition === undefined) return undefined;
    try {
      return cniConfigOf(definition).segment;
    } catch {
      return undefined; // A configuration that is not JSON connects no pods.
    }
  }
}

/** The networks of a pod and its addresses there, from its annotation. */
function attachmentsOf({ metadata }: Pod): { name: string; ips: readonly unknown[] }[] {
  let status: unknown;
  try {
    status = JSON.parse(metadata.annotations?.[NETWORK_STATUS_ANNOTATION] ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(status)) return [];
  return status.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('name' in entry) || typeof entry.name !== 'string') return [];
    return [{ name: entry.name, ips: 'ips' in entry && Array.isArray(entry.ips) ? (entry.ips as unknown[]) : [] }];
  });
}

export interface RunningNetworks extends Pick<Networks, 'plug'> {
  /** Resolves when the API server knows net-attach-defs. */
  readonly registered: Promise<void>;
  close(): Promise<void>;
}

/** Starts the VM networks. */
export function startNetworks(options: NetworksOptions): RunningNetworks {
  const stop = new AbortController();
  const networks = new Networks(options);
  const registered = registerNetworks(options.client);
  const running = registered.then(() => networks.run(stop.signal));
  return {
    plug: (network, receive) => networks.plug(network, receive),
    registered,
    close: async () => {
      stop.abort();
      await running.catch(() => undefined);
    },
  };
}
