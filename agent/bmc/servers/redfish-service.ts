import { CERTIFICATE_KEYS } from '../../../api/index.ts';
import type { Clock, Logger, Secret } from '@groundcrew/controller-runtime';
import type { RedfishHttpsEndpoint } from '../../../protocols/redfish/https/index.ts';
import type { RedfishOptions } from '../../../protocols/redfish/index.ts';
import { SerialQueue } from '../../../protocols/serial-queue.ts';
import type { EventParts } from '../hypervisor.ts';
import { SelfCheck } from './self-check.ts';

/** How Redfish is to be served. */
export interface RedfishWish {
  /** The Secret with the certificate; undefined until the API server has told of it. */
  certificate: { object: Secret | undefined } | undefined;
  /** Plain HTTP, too. */
  http: boolean;
}

export interface RedfishServiceOptions extends Omit<
  RedfishOptions,
  'certificates' | 'admitsLogins' | 'time' | 'schedule'
> {
  addresses: readonly string[];
  /** TCP ports of HTTPS and of plain HTTP; without the latter that is never served. */
  port: number;
  httpPort?: number;
  /** Makes an Event on the BMC. */
  report: (...parts: EventParts) => void;
  clock: Clock;
  logger: Logger;
}

interface Running {
  endpoint: RedfishHttpsEndpoint;
  service: { drain(): void; close(): void };
  check: SelfCheck;
  http: boolean;
}

/** Milliseconds that a BMC waits for its first certificate before it counts as ready without Redfish. */
const PATIENCE = 15_000;

/**
 * Serves Redfish for one machine as long as that is wished and there is a certificate. A certificate that cannot be used changes
 * nothing about the one that is shown. What it takes is loaded when it is served first.
 */
export class RedfishService {
  readonly #options: RedfishServiceOptions;
  readonly #since: number;
  #running: Running | undefined;
  /** That is shown. */
  #certificate: Certificate | undefined;
  /** That could not be used. */
  #unfit: Certificate | undefined;
  #isWished = false;
  #draining = false;
  #isClosed = false;
  /** What was asked for before is done before it is stopped or served anew: to start takes its time. */
  readonly #queue = new SerialQueue();

  constructor(options: RedfishServiceOptions) {
    this.#options = options;
    this.#since = options.now();
  }

  /** What keeps it from answering; undefined where nothing does, or it is not to. */
  get problem(): string | undefined {
    // One that drains is left alone by whoever asks for problems.
    if (!this.#isWished || this.#draining) return undefined;
    if (this.#running !== undefined) return this.#running.check.answers ? undefined : 'Redfish does not answer';
    // A BMC whose certificate is lost goes on with IPMI.
    const waited = this.#options.now() - this.#since;
    return waited < PATIENCE ? 'there is no certificate for Redfish yet' : undefined;
  }

  /** Connections that are open; of one that drains, those whose requests are being answered. */
  get connectionCount(): number {
    return this.#running?.endpoint.connectionCount ?? 0;
  }

  /** TCP port of HTTPS; undefined while nothing is served. */
  get port(): number | undefined {
    return this.#running?.endpoint.port;
  }

  /**
   * Serves as wished from now on; undefined: not at all. Sessions outlive that. What drains or is closed begins nothing.
   *
   * @throws Error of node:net, where an address cannot be bound
   */
  async serve(wish: RedfishWish | undefined): Promise<void> {
    this.#isWished = wish !== undefined && !this.#isClosed;
    await this.#queue.run(() => this.#carryOut(wish));
  }

  get #isLeaving(): boolean {
    return this.#draining || this.#isClosed;
  }

  async #carryOut(wish: RedfishWish | undefined): Promise<void> {
    if (wish === undefined) {
      await this.#stop();
      return;
    }
    if (this.#isLeaving) return;
    const wanted = certificateIn(wish.certificate?.object) ?? this.#certificate;
    if (wanted === undefined || (this.#certificate === undefined && isSame(wanted, this.#unfit))) return;
    if (this.#running === undefined) {
      await this.#start(wanted, wish.http);
      return;
    }
    this.#show(this.#running.endpoint, wanted);
    await this.#setHttp(this.#running, wish.http);
  }

  /** Lets nobody connect or log in any more; requests that are there are answered, and event streams end. */
  drain(): void {
    this.#draining = true;
    this.#running?.check.stop();
    this.#running?.service.drain();
    this.#running?.endpoint.drain();
  }

  /** Stops it for good; what is being started meanwhile, too. */
  async close(): Promise<void> {
    this.#isWished = false;
    this.#isClosed = true;
    await this.#queue.run(() => this.#stop());
  }

  async #start(certificate: Certificate, http: boolean): Promise<void> {
    const { addresses, port, httpPort, clock, logger } = this.#options;
    const [{ createRedfishService }, { RedfishHttpsEndpoint }] = await Promise.all([
      import('../../../protocols/redfish/index.ts'),
      import('../../../protocols/redfish/https/index.ts'),
    ]);
    if (this.#isLeaving) return;
    const service = createRedfishService({
      ...this.#options,
      certificates: () => certificatesIn(this.#certificate?.cert ?? ''),
      admitsLogins: () => !this.#draining,
      time: () => clock.now(),
      schedule: (work, delay) => {
        const timer = clock.setTimeout(work, delay);
        return () => {
          timer.cancel();
        };
      },
    });
    const endpoint = new RedfishHttpsEndpoint({
      addresses,
      port,
      ...(http && httpPort !== undefined ? { httpPort } : {}),
      handler: service.handler,
      onError: (error) => {
        logger.warn({ err: error }, 'a Redfish socket failed');
      },
    });
    if (this.#certificate !== undefined) endpoint.setCertificate(this.#certificate);
    this.#show(endpoint, certificate);
    try {
      if (this.#certificate === undefined) {
        service.close();
        return;
      }
      await endpoint.start();
    } catch (error) {
      service.close();
      throw error;
    }
    const check = new SelfCheck({ addresses, port: () => endpoint.port, clock });
    this.#running = { endpoint, service, check, http };
    check.start();
    if (this.#draining) this.drain();
    logger.info({ addresses, port: endpoint.port, http }, 'Redfish is served');
  }

  /** Clients of HTTPS do not notice. */
  async #setHttp(running: Running, http: boolean): Promise<void> {
    if (running.http === http) return;
    await running.endpoint.serveHttp(http ? this.#options.httpPort : undefined);
    running.http = http;
    this.#options.logger.info({ http }, 'whether Redfish is served over plain HTTP is another');
  }

  /** Shows a certificate from now on; one that cannot be used is told of once. */
  #show(endpoint: RedfishHttpsEndpoint, certificate: Certificate): void {
    if (isSame(certificate, this.#certificate)) return;
    const { logger, report } = this.#options;
    try {
      endpoint.setCertificate(certificate);
      if (this.#certificate !== undefined) logger.info({}, 'Redfish shows another certificate');
      this.#certificate = certificate;
      this.#unfit = undefined;
    } catch (error) {
      if (isSame(certificate, this.#unfit)) return;
      this.#unfit = certificate;
      const why = error instanceof Error ? error.message : String(error);
      const now = this.#certificate === undefined ? 'Redfish does not answer' : 'the one before is shown still';
      logger.warn({ err: error }, 'the certificate for Redfish cannot be used');
      report('Warning', 'CertificateUnreadable', `The certificate for Redfish cannot be used (${why}); ${now}`);
    }
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    running.check.stop();
    await running.endpoint.close();
    running.service.close();
    this.#options.logger.info({}, 'Redfish is served no longer');
  }
}

function isSame(one: Certificate, other: Certificate | undefined): boolean {
  return one.cert === other?.cert && one.key === other.key;
}

/** A certificate, with those that lead to who signed it behind it, and its key; both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** What a Secret of type kubernetes.io/tls holds; undefined where it holds no pair. */
export function certificateIn(secret: Secret | undefined): Certificate | undefined {
  const { certificate, key } = CERTIFICATE_KEYS;
  const [cert, own] = [certificate, key].map((each) => Buffer.from(secret?.data?.[each] ?? '', 'base64').toString());
  return cert === undefined || own === undefined || cert === '' || own === '' ? undefined : { cert, key: own };
}

/** The certificates of a chain, one by one. */
export function certificatesIn(chain: string): string[] {
  return chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}
