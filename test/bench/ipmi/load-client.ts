import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findTool, installTools } from '../../tools/index.ts';
import type { Progress } from '../measurement.ts';

/** What test/tools/ipmi-load does. */
export interface LoadTask {
  host: string;
  port: number;
  username: string;
  password: string;
  /**
   * - `requests`: Get Chassis Status in open sessions, the next one after each answer.
   * - `sessions`: channel authentication capabilities, log-in, privilege level, one request, log-out; repeated.
   * - `half-open`: Open Session without a continuation; repeated.
   */
  kind: 'requests' | 'sessions' | 'half-open';
  /** Number of concurrent clients, each with its own port. */
  clients: number;
  /** ms */
  duration: number;
}

export interface LoadReport {
  /** Number of requests or sessions. */
  count: number;
  /** ms */
  elapsed: number;
  /** Duration of one in µs. */
  p50: number;
  p99: number;
  /** µs of the client's processor time for one. */
  cpu: number;
}

/** ms after the end of the task. */
const TIMEOUT = 20_000;

/** Builds the client if this machine does not have it. */
export async function installLoadClient(progress: Progress): Promise<void> {
  await installTools(['ipmi-load'], progress);
}

/** @throws Error with the output of the client, such as of an answer that is missing or not genuine */
export async function runLoad(task: LoadTask): Promise<LoadReport> {
  const { stdout } = await promisify(execFile)(findTool('ipmi-load') ?? '', [JSON.stringify(task)], {
    timeout: task.duration + TIMEOUT,
  });
  return JSON.parse(stdout) as LoadReport; // Written by the client.
}
