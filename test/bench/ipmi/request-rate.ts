import { RmcpPlusClient } from '../../../src/protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../src/protocols/ipmi/testing/transport.ts';
import { alternate } from '../alternate.ts';
import { GET_CAPABILITIES } from './first-answer.ts';
import type { Measurement } from '../measurement.ts';

/** Where requests go. */
export interface Target {
  /** Part of what is measured, when this is not to be compared with the others; for example ` through a proxy`. */
  way?: string;
  server: string;
  host: string;
  port: number;
  username: string;
  password: string;
}

const SESSIONS = [1, 8];
const ROUNDS = 3;
const ROUND_TIME = 1000;
const SILENCE = 2000;
const CHASSIS = 0x00;
const GET_CHASSIS_STATUS = 0x01;
const ADMINISTRATOR = 4;

/** Requests per second in sessions that are open, each with one request in flight. */
export async function measureRequestRates(
  targets: readonly Target[],
  progress: (line: string) => void,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const sessions of SESSIONS) {
    const what = `\`power status\` requests, ${sessions === 1 ? '1 session' : `${sessions} sessions`}`;
    progress(what);
    const results = await alternate(
      targets.map((target) => ({ subject: target, runs: ROUNDS, measure: () => rate(target, sessions) })),
    );
    for (const { subject, values } of results) {
      measurements.push({ what: `${what}${subject.way ?? ''}`, server: subject.server, unit: '/s', values });
    }
  }
  return measurements;
}

async function rate(target: Target, sessions: number): Promise<number> {
  try {
    return await unguardedRate(target, sessions);
  } catch (cause) {
    throw new Error(`requests to ${target.server} failed`, { cause });
  }
}

async function unguardedRate(target: Target, sessions: number): Promise<number> {
  const opened = await Promise.all(Array.from({ length: sessions }, () => openSession(target)));
  const started = performance.now();
  const counts = await Promise.all(opened.map(({ client }) => askUntil(client, started + ROUND_TIME)));
  const elapsed = performance.now() - started;
  await Promise.all(opened.map(({ close }) => close()));
  return counts.reduce((sum, count) => sum + count, 0) / (elapsed / 1000);
}

async function openSession({ host, port, username, password }: Target) {
  const transport = await udpTransport(host, port, SILENCE);
  const client = new RmcpPlusClient(transport);
  // By this fakebmc knows that a port which an earlier session came from begins another one.
  await transport.exchange(GET_CAPABILITIES);
  // Suite 3, the one that all of them have.
  await client.login({ username, password, suite: 3 });
  await client.setPrivilege(ADMINISTRATOR);
  return {
    client,
    close: async () => {
      await client.logout();
      transport.close();
    },
  };
}

/** Asks again as soon as an answer is there; how many there were. */
async function askUntil(client: RmcpPlusClient, deadline: number): Promise<number> {
  let count = 0;
  while (performance.now() < deadline) {
    const { completionCode } = await client.command(CHASSIS, GET_CHASSIS_STATUS);
    if (completionCode !== 0) throw new Error(`completion code 0x${completionCode.toString(16)}`);
    count += 1;
  }
  return count;
}
