import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerProcess } from '../../harness/process.ts';
import type { BenchNetwork } from './bench-network.ts';
import { exchange } from './exchange.ts';

/** A DHCP server with a lease for each of the virtual machines. */
export interface Contender {
  name: string;
  /**
   * Prepares what it runs on, and makes the process, which is not started.
   *
   * @param folder for its files
   */
  prepare(network: BenchNetwork, folder: string): Promise<{ process: ServerProcess; close?: () => Promise<void> }>;
  /** Resolves when what the first exchanges set going is done. */
  settled?(): Promise<void>;
  /** Takes away what it has its leases from. Absent: it needs nobody. */
  cutOff?(): Promise<void>;
  /** Rates to try perfdhcp at, one after the other. */
  rates: readonly number[];
  /** It loses so much of the storm that nothing is learnt from waiting for the end of it. */
  isTooSlowForStorms?: boolean;
  /** It does not survive strangers in such numbers. */
  isEndedByStrangers?: boolean;
}

export interface RunningContender {
  pid: number;
  /** Kills it and starts it again. @returns ms until the first machine got its lease again */
  restart(): Promise<number>;
  close(): Promise<void>;
}

const PATIENCE = 60_000;
const ONE_TRY = 500;
/** After a restart, which is timed. */
const SHORT_TRY = 50;

/** Starts it, and resolves when the first machine gets its lease. */
export async function startContender(contender: Contender, network: BenchNetwork): Promise<RunningContender> {
  const folder = mkdtempSync(join(tmpdir(), `groundcrew-bench-${contender.name.replace(/\W+/g, '-')}-`));
  const { process, close: closeRest } = await contender.prepare(network, folder);
  const close = async (): Promise<void> => {
    await process.dispose();
    await closeRest?.();
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (oneTry: number): Promise<void> => {
    process.start();
    await process.waitUntil(async () => {
      const { count, wrong } = await exchange(network, { inFlight: 1, most: 1, duration: oneTry });
      if (count !== 1 || wrong > 0) throw new Error('the first machine does not get its lease');
    }, PATIENCE);
  };
  const restart = async (): Promise<number> => {
    await process.stop('SIGKILL');
    const begun = performance.now();
    await start(SHORT_TRY);
    return performance.now() - begun;
  };
  try {
    await start(ONE_TRY);
    if (process.pid === undefined) throw new Error(`${contender.name} ended`);
    return { pid: process.pid, restart, close };
  } catch (error) {
    await close();
    throw error;
  }
}
