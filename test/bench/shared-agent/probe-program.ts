/**
 * A program that asks many BMCs at a fixed rate, one after the other, by IPMI and by Redfish, each in an open session or
 * connection. Its parent sends a {@link ProbeTask}, then `begin` and `report` for each phase; it answers with `ready` and a
 * {@link ProbeReport}.
 */
import { Agent, request, type RequestOptions } from 'node:https';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../protocols/ipmi/testing/transport.ts';

export interface ProbeTask {
  host: string;
  /** Of IPMI and of Redfish. */
  ports: readonly number[];
  username: string;
  password: string;
}

export interface ProbeReport {
  ipmi: Times;
  redfish: Times;
}

/** ms. */
interface Times {
  count: number;
  errors: number;
  p50: number;
  p99: number;
}

/** Requests per second, of all BMCs together. */
const RATES = { ipmi: 200, redfish: 100 } as const;
const CHASSIS = 0x00;
const GET_CHASSIS_STATUS = 0x01;
const PATIENCE = 10_000;

type Protocol = keyof typeof RATES;
type Ask = () => Promise<void>;

const measured: Record<Protocol, { times: number[]; errors: number }> = { ipmi: blank(), redfish: blank() };

process.on('message', (message: ProbeTask | 'begin' | 'report') => {
  if (message === 'begin') Object.assign(measured, { ipmi: blank(), redfish: blank() });
  else if (message === 'report') process.send?.({ ipmi: timesOf('ipmi'), redfish: timesOf('redfish') });
  else void start(message);
});
process.on('disconnect', () => process.exit(0));

async function start({ host, ports, username, password }: ProbeTask): Promise<void> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, timeout: 0, maxFreeSockets: ports.length });
  const auth = `${username}:${password}`;
  const asks: Record<Protocol, Ask[]> = { ipmi: [], redfish: [] };
  for (const port of ports) {
    const client = new RmcpPlusClient(await udpTransport(host, port, PATIENCE));
    await client.login({ username, password });
    asks.ipmi.push(async () => {
      const { completionCode } = await client.command(CHASSIS, GET_CHASSIS_STATUS);
      if (completionCode !== 0) throw new Error(`completion code ${completionCode}`);
    });
    asks.redfish.push(() =>
      get({ host, port, path: '/redfish/v1/Systems/1', auth, agent, timeout: PATIENCE } as const),
    );
    await asks.redfish.at(-1)?.();
  }
  repeat('ipmi', asks.ipmi);
  repeat('redfish', asks.redfish);
  process.send?.('ready');
}

function repeat(protocol: Protocol, asks: readonly Ask[]): void {
  const started = performance.now();
  let sent = 0;
  const tick = (): void => {
    const due = Math.floor(((performance.now() - started) / 1_000) * RATES[protocol]);
    for (; sent < due; sent += 1) {
      const ask = asks[sent % asks.length];
      const asked = performance.now();
      const { times } = measured[protocol];
      ask?.().then(
        () => times.push(performance.now() - asked),
        () => (measured[protocol].errors += 1),
      );
    }
    setTimeout(tick, 2);
  };
  tick();
}

function get(options: RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request(options, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`HTTP status ${response.statusCode ?? 0}`));
      });
      response.on('error', reject);
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    asked.on('error', reject);
    asked.end();
  });
}

function blank(): { times: number[]; errors: number } {
  return { times: [], errors: 0 };
}

function timesOf(protocol: Protocol): Times {
  const { times, errors } = measured[protocol];
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
  return { count: sorted.length, errors, p50: at(0.5), p99: at(0.99) };
}
