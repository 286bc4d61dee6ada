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
  /** Rates to try perfdhcp at, one after the other. */
  rates: readonly number[];
  /** It loses so much of the storm that nothing is learnt from waiting for the end of it. */
  isTooSlowForStorms?: boolean;
  /** It does not survive strangers in such numbers. */
  isEndedByStrangers?: boolean;
}

export interface RunningContender {
  pid: number;
  close(): Promise<void>;
}

const PATIENCE = 60_000;
const ONE_TRY = 500;

/** Starts it, and resolves when the first and the last machine get their leases. */
export async function startContender(contender: Contender, network: BenchNetwork): Promise<RunningContender> {
  const folder = mkdtempSync(join(tmpdir(), `groundcrew-bench-${contender.name.replace(/\W+/g, '-')}-`));
  const { process, close: closeRest } = await contender.prepare(network, folder);
  const close = async (): Promise<void> => {
    await process.dispose();
    await closeRest?.();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    process.start();
    await process.waitUntil(async () => {
      const { count, wrong } = await exchange(network, { inFlight: 1, most: 1, duration: ONE_TRY });
      if (count !== 1 || wrong > 0) throw new Error('the first machine does not get its lease');
    }, PATIENCE);
    if (process.pid === undefined) throw new Error(`${contender.name} ended`);
    return { pid: process.pid, close };
  } catch (error) {
    await close();
    throw error;
  }
}
