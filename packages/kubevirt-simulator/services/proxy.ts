import type { Endpoint } from './service-ports.ts';

/** A port that is open and passes on what comes to backends. */
export interface Proxy {
  /** Where it listens; with the port that the operating system chose where 0 was asked for. */
  readonly address: Endpoint;
  /**
   * What is under way to a backend that is no longer among them is moved or ended; what cannot be moved is left alone
   * while the backend is `draining`.
   */
  setBackends(backends: readonly Endpoint[], draining?: readonly Endpoint[]): void;
  close(): Promise<void>;
}
