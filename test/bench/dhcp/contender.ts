import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerProcess } from '../../harness/process.ts';
import type { BenchNetwork } from './network.ts';

/** A DHCP server with a lease for each virtual machine. */
export interface Contender {
  name: string;
  /**
   * Prepares the configuration and returns the process, which is not started.
   *
   * @param folder for its files
   */
  prepare(network: BenchNetwork, folder: string): Promise<{ process: ServerProcess; close?: () => Promise<void> }>;
  /** Resolves when the background work of the first exchanges is done. */
  settled?(): Promise<void>;
  /** Disconnects the server from the source of its leases. Absent: it has none. */
  cutOff?(): Promise<void>;
  /** The server does not complete a storm in a reasonable time. */
  isTooSlowForStorms?: boolean;
  /** The server does not survive many unknown clients. */
  failsWithUnknownClients?: boolean;
}

export interface RunningContender {
  pid: number;
  /** Kills the process and starts it again. @returns ms until the first machine has its lease again */
  restart(): Promise<number>;
  close(): Promise<void>;
}

const START_TIMEOUT = 60_000;
/** Duration of one attempt in ms. */
const ATTEMPT = 500;
/** After a restart, which is timed. */
const SHORT_ATTEMPT = 50;

/** Starts a server and resolves when the first machine has its lease. */
export async function startContender(contender: Contender, network: BenchNetwork): Promise<RunningContender> {
  const folder = mkdtempSync(join(tmpdir(), `groundcrew-bench-${contender.name.replace(/\W+/g, '-')}-`));
  const { process, close: closeRest } = await contender.prepare(network, folder);
  const close = async (): Promise<void> => {
    await process.dispose();
    await closeRest?.();
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (attempt: number): Promise<void> => {
    process.start();
    await process.waitUntil(async () => {
      const { count, wrong } = await network.exchange({ inFlight: 1, most: 1, duration: attempt });
      if (count !== 1 || wrong > 0) throw new Error('the first machine has no lease');
    }, START_TIMEOUT);
  };
  const restart = async (): Promise<number> => {
    await process.stop('SIGKILL');
    const begun = performance.now();
    await start(SHORT_ATTEMPT);
    return performance.now() - begun;
  };
  try {
    await start(ATTEMPT);
    if (process.pid === undefined) throw new Error(`${contender.name} ended`);
    return { pid: process.pid, restart, close };
  } catch (error) {
    await close();
    throw error;
  }
}
