/** Takes the API server away and brings it back, with all that it stored. */
export interface Outage {
  /** Connections break; nothing answers at the server's address. */
  begin(): Promise<void>;
  /** Resolves when the server answers again. */
  end(): Promise<void>;
}
