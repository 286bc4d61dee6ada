import type { Server } from './rows.ts';

/** A running Redfish service that takes part in the comparison. */
export interface Contender {
  readonly name: Server;
  /** Without a slash at its end. */
  readonly base: string;
  readonly username: string;
  readonly password: string;
  /** Of the System to ask for. */
  readonly system: string;
  /** How many requests it is to stand; sushy-tools opens files until it may not. */
  readonly endurance: number;
  /** Process that serves it. */
  readonly pid: number;
  /** Ends it and starts it again. @returns ms from its start to its first answer */
  restart(): Promise<number>;
  close(): Promise<void>;
}
