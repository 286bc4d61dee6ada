import { X509Certificate } from 'node:crypto';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { CERTIFICATE_KEYS } from '../../../api/index.ts';
import type { Clock, Logger, Secret } from '@groundcrew/controller-runtime';
import type { RedfishHttpsEndpoint, RedfishHttpsOptions, Upgrades } from '../../../protocols/redfish/https/index.ts';
import type { RedfishOptions, RedfishService as Service, WebConsoleOptions } from '../../../protocols/redfish/index.ts';
import { SerialQueue } from '../../../protocols/serial-queue.ts';
import type { EventParts } from '../hypervisor.ts';
import type { RequestTraces } from '../request-traces.ts';
import type { CheckRounds, RunningCheck } from './check-rounds.ts';
import type { ProcessorShare } from './processor-share.ts';
import { selfCheck } from './self-check.ts';

/** Settings of the Redfish server. */
export interface RedfishWish {
  /** The Secret with the certificate; undefined until its watch has started. */
  certificate: { object: Secret | undefined } | undefined;
  /** Takes precedence. */
  clientCertificate?: Certificate | undefined;
  /** Whether to serve plain HTTP too. */
  http: boolean;
}

export interface RedfishServiceOptions extends Omit<
  RedfishOptions,
  'certificates' | 'admitsLogins' | 'time' | 'schedule'
> {
  addresses: readonly string[];
  /** TCP ports of HTTPS and of plain HTTP; without `httpPort`, plain HTTP is never served. */
  port: number;
  httpPort?: number;
  /** Emits an Event on the BMC. */
  report: (...parts: EventParts) => void;
  clock: Clock;
  logger: Logger;
  traces: RequestTraces;
  checks: CheckRounds;
  /** The BMC's part of the processor; absent: all of it. */
  share?: ProcessorShare;
  /** Called when `problem` may have changed. */
  onCheck?: () => void;
}

interface Running {
  endpoint: RedfishHttpsEndpoint;
  service: Pick<Service, 'drain' | 'close'>;
  check: RunningCheck;
  http: boolean;
}

/** Milliseconds that a BMC waits for its first certificate. Then it is ready without Redfish. */
const PATIENCE = 15_000;

/**
 * Serves Redfish for one machine while it is enabled and there is a certificate. An unusable certificate does not replace
 * the current one. The modules are loaded on first use.
 */
export class RedfishService {
  readonly #options: RedfishServiceOptions;
  readonly #since: number;
  #running: Running | undefined;
  /** The certificate in use. */
  #certificate: Certificate | undefined;
  /** ms since 1970 */
  #expires: number | undefined;
  /** The last unusable certificate. */
  #unfit: Certificate | undefined;
  #isWished = false;
  #draining = false;
  #isClosed = false;
  /** Serializes starts and stops: a start takes time. */
  readonly #queue = new SerialQueue();

  constructor(options: RedfishServiceOptions) {
    this.#options = options;
    this.#since = options.now();
  }

  /** Why it does not answer; undefined if it does, or is disabled. */
  get problem(): string | undefined {
    // While draining, connections are refused on purpose.
    if (!this.#isWished || this.#draining) return undefined;
    if (this.#running !== undefined) return this.#running.check.answers ? undefined : 'Redfish does not answer';
    // Without a certificate, the BMC is ready with IPMI alone.
    const waited = this.#options.now() - this.#since;
    return waited < PATIENCE ? 'there is no certificate for Redfish yet' : undefined;
  }

  /** Open connections; while draining, only those with a request in progress. */
  get connectionCount(): number {
    return this.#running?.endpoint.connectionCount ?? 0;
  }

  /** TCP port of HTTPS; undefined while Redfish is not served. */
  get port(): number | undefined {
    return this.#running?.endpoint.port;
  }

  /** When the certificate in use expires, ms since 1970. */
  get certificateExpires(): number | undefined {
    return this.#running === undefined ? undefined : this.#expires;
  }

  /**
   * Applies the settings; undefined stops the server. Sessions outlive a stop. Does not start while draining or closed.
   *
   * @throws Error of node:net if an address cannot be bound
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
    const wanted = wish.clientCertificate ?? certificateIn(wish.certificate?.object) ?? this.#certificate;
    if (wanted === undefined || (this.#certificate === undefined && isSame(wanted, this.#unfit))) return;
    if (this.#running === undefined) {
      await this.#start(wanted, wish.http);
      return;
    }
    this.#show(this.#running.endpoint, wanted);
    await this.#setHttp(this.#running, wish.http);
  }

  /** Refuses new connections and log-ins. Requests in progress are answered; event streams end. */
  drain(): void {
    this.#draining = true;
    this.#running?.check.stop();
    this.#running?.service.drain();
    this.#running?.endpoint.drain();
  }

  /** Stops it permanently, also while it starts. */
  async close(): Promise<void> {
    this.#isWished = false;
    this.#isClosed = true;
    await this.#queue.run(() => this.#stop());
  }

  async #start(certificate: Certificate, http: boolean): Promise<void> {
    const { addresses, port, httpPort, share, clock, logger, traces, webConsole } = this.#options;
    const [{ createRedfishService }, { RedfishHttpsEndpoint }] = await Promise.all([
      import('../../../protocols/redfish/index.ts'),
      import('../../../protocols/redfish/https/index.ts'),
    ]);
    if (this.#isLeaving) return;
    const service = createRedfishService({
      ...this.#options,
      ...(webConsole && { webConsole: { ...webConsole, ...(share && { pace: pacing(share) }) } }),
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
      handler: shared(traced(service.handler, traces), share),
      upgrades: new WebSockets(service, this.#options),
      ...(share === undefined ? {} : { admit: admission(share) }),
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
    const { checks, onCheck } = this.#options;
    const check = selfCheck({ addresses, port: () => endpoint.port, checks, onChange: onCheck });
    this.#running = { endpoint, service, check, http };
    if (this.#draining) this.drain();
    logger.info({ addresses, port: endpoint.port, http }, 'Redfish is served');
  }

  /** Does not affect HTTPS. */
  async #setHttp(running: Running, http: boolean): Promise<void> {
    if (running.http === http) return;
    await running.endpoint.serveHttp(http ? this.#options.httpPort : undefined);
    running.http = http;
    this.#options.logger.info({ http }, 'Redfish over plain HTTP was switched on or off');
  }

  /** Uses a certificate from now on. Reports an unusable one once. */
  #show(endpoint: RedfishHttpsEndpoint, certificate: Certificate): void {
    if (isSame(certificate, this.#certificate)) return;
    const { logger, report } = this.#options;
    try {
      endpoint.setCertificate(certificate);
      if (this.#certificate !== undefined) logger.info({}, 'Redfish uses another certificate');
      this.#certificate = certificate;
      this.#expires = new X509Certificate(certificate.cert).validToDate.getTime();
      this.#unfit = undefined;
    } catch (error) {
      if (isSame(certificate, this.#unfit)) return;
      this.#unfit = certificate;
      const why = error instanceof Error ? error.message : String(error);
      const now = this.#certificate === undefined ? 'Redfish does not answer' : 'the previous one is still used';
      logger.warn({ err: error }, 'the certificate for Redfish cannot be used');
      report('Warning', 'CertificateUnreadable', `The certificate for Redfish cannot be used (${why}); ${now}`);
    }
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running === undefined) return;
    running.check.stop();
    // The endpoint waits for streams and consoles, which do not end by themselves.
    running.service.drain();
    await running.endpoint.close();
    running.service.close();
    this.#options.logger.info({}, 'Redfish is no longer served');
  }
}

/** The handler, with a trace for each request until its answer. The client gets its ID. */
function traced(handler: RequestListener, traces: RequestTraces): RequestListener {
  return (request, response) => {
    traces.begin((trace) => {
      response.setHeader('X-Request-Id', trace.id);
      response.once('close', () => {
        trace.end();
      });
      handler(request, response);
    });
  };
}

/** The handler, within the BMC's part of the processor. */
function shared(handler: RequestListener, share: ProcessorShare | undefined): RequestListener {
  if (share === undefined) return handler;
  return (request, response) => {
    const refuse = (isFull: boolean): void => {
      // An answer would cost what the BMC has used up.
      if (isFull) response.destroy();
      else response.writeHead(503, { 'Retry-After': '1', 'OData-Version': '4.0', Connection: 'close' }).end();
    };
    void share.run(
      'request',
      () => {
        if (!response.destroyed) handler(request, response);
      },
      refuse,
    );
  };
}

/** The WebSockets of a service: a trace until each is open or refused, within the BMC's part of the processor. */
class WebSockets implements Upgrades {
  readonly #service: Service;
  readonly #options: Pick<RedfishServiceOptions, 'traces' | 'share'>;

  constructor(service: Service, options: Pick<RedfishServiceOptions, 'traces' | 'share'>) {
    this.#service = service;
    this.#options = options;
  }

  accepts(request: IncomingMessage): boolean {
    return this.#service.accepts(request);
  }

  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { traces, share } = this.#options;
    const open = (): void => {
      traces.begin((trace) => {
        void this.#service.upgrade(request, socket, head).finally(() => {
          trace.end();
        });
      });
    };
    if (share === undefined) open();
    else void share.run('request', open, () => void socket.destroy());
  }
}

/** Messages of WebSockets wait like packets of sessions. */
function pacing(share: ProcessorShare): NonNullable<WebConsoleOptions['pace']> {
  return (work, refuse) => {
    void share.run('packet', work, refuse);
  };
}

/** Connections wait before their TLS handshake. */
function admission(share: ProcessorShare): NonNullable<RedfishHttpsOptions['admit']> {
  return (start, refuse) => {
    void share.run('handshake', start, refuse);
  };
}

function isSame(one: Certificate, other: Certificate | undefined): boolean {
  return one.cert === other?.cert && one.key === other.key;
}

/** A certificate chain and its key; both PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/** The certificate in a Secret of type kubernetes.io/tls; undefined if it or its key is missing. */
export function certificateIn(secret: Secret | undefined): Certificate | undefined {
  const { certificate, key } = CERTIFICATE_KEYS;
  const [cert, own] = [certificate, key].map((each) => Buffer.from(secret?.data?.[each] ?? '', 'base64').toString());
  return cert === undefined || own === undefined || cert === '' || own === '' ? undefined : { cert, key: own };
}

/** The certificates of a chain. */
export function certificatesIn(chain: string): string[] {
  return chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}
