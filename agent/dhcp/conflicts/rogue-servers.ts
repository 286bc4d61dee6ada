import type { EventRecorder, KubeObject, Logger } from '@groundcrew/controller-runtime';
import { formatIpv4 } from '../../../api/index.ts';
import type { Ipv4, Lease } from '../../../protocols/dhcp/index.ts';
import { macText } from '../mac-number.ts';
import type { SampledLog } from '../reports.ts';

export interface RogueServersOptions {
  events: EventRecorder;
  sampled: SampledLog;
  logger: Logger;
}

/** Minimum ms between two Events about one server of one pool. */
const QUIET = 60_000;
/** Maximum number of remembered servers: their addresses come from packets, which can be forged. */
const MAX_SERVERS = 256;

/** Reports foreign DHCP servers: a client that chooses one names it in a broadcast. */
export class RogueServers {
  readonly #options: RogueServersOptions;
  /** Time of the last report by pool and address, oldest first. */
  readonly #told = new Map<string, number>();

  constructor(options: RogueServersOptions) {
    this.#options = options;
  }

  /** @param now ms of a clock that never goes back */
  met(pool: KubeObject, lease: Lease, server: Ipv4, now: number): void {
    const key = `${pool.metadata.uid ?? ''} ${server}`;
    const told = this.#told.get(key);
    if (told !== undefined && now - told < QUIET) return;
    this.#told.delete(key);
    this.#told.set(key, now);
    const [oldest] = this.#told.keys();
    if (this.#told.size > MAX_SERVERS && oldest !== undefined) this.#told.delete(oldest);
    const message = `There is another DHCP server on the network, ${formatIpv4(server)}: ${macText(lease.macAddress)} chose it over ours`;
    const { events, sampled, logger } = this.#options;
    sampled.line('other server', (held) => {
      logger.warn({ pool: pool.metadata.name, server: formatIpv4(server), held }, message);
    });
    events.event(pool, 'Warning', 'OtherDHCPServer', message);
  }
}
