/** Stops the API server and restarts it with its stored objects. */
export interface Outage {
  /** Connections break, and no server listens at the address. */
  begin(): Promise<void>;
  /** Resolves when the server answers again. */
  end(): Promise<void>;
}
