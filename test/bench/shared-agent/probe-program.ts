/**
 * A program that asks many BMCs at a fixed rate, one after the other, by IPMI and by Redfish, each in an open session or
 * connection, and resets some machines. Its parent sends a {@link ProbeTask}, then `begin` and `report` for each phase; it answers with `ready` and a
 * {@link ProbeReport}.
 */
import { Agent, request, type RequestOptions } from 'node:https';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../protocols/ipmi/testing/transport.ts';

export interface ProbeTask {
  host: string;
  /** Of IPMI and of Redfish. */
  ports: readonly number[];
  /** Those whose machines run and are reset. */
  resets: readonly number[];
  username: string;
  password: string;
}

/** `reset`: by IPMI. The agent answers it when KubeVirt has; the others from what it knows. */
export type ProbeReport = Record<Protocol, Times>;

/** ms. */
interface Times {
  count: number;
  errors: number;
  p50: number;
  p99: number;
}

/** Requests per second, of all BMCs together. */
const RATES = { ipmi: 200, redfish: 100, reset: 10 } as const;
const CHASSIS = 0x00;
const GET_CHASSIS_STATUS = 0x01;
const CHASSIS_CONTROL = 0x02;
const RESET = 0x03;
const ADMINISTRATOR = 4;
const PATIENCE = 10_000;

export type Protocol = keyof typeof RATES;
type Ask = () => Promise<void>;

const measured = { ipmi: blank(), redfish: blank(), reset: blank() };

process.on('message', (message: ProbeTask | 'begin' | 'report') => {
  if (message === 'begin') Object.assign(measured, { ipmi: blank(), redfish: blank(), reset: blank() });
  else if (message === 'report')
    process.send?.({ ipmi: timesOf('ipmi'), redfish: timesOf('redfish'), reset: timesOf('reset') });
  else void start(message);
});
process.on('disconnect', () => process.exit(0));

async function start({ host, ports, resets, username, password }: ProbeTask): Promise<void> {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, timeout: 0, maxFreeSockets: ports.length });
  const auth = `${username}:${password}`;
  const asks: Record<Protocol, Ask[]> = { ipmi: [], redfish: [], reset: [] };
  for (const port of ports) {
    const client = new RmcpPlusClient(await udpTransport(host, port, PATIENCE));
    await client.login({ username, password });
    asks.ipmi.push(
      oneByOne(async () => {
        succeeded(await client.command(CHASSIS, GET_CHASSIS_STATUS));
      }),
    );
    asks.redfish.push(() =>
      get({ host, port, path: '/redfish/v1/Systems/1', auth, agent, timeout: PATIENCE } as const),
    );
    await asks.redfish.at(-1)?.();
  }
  for (const port of resets) {
    const client = new RmcpPlusClient(await udpTransport(host, port, PATIENCE));
    await client.login({ username, password });
    await client.setPrivilege(ADMINISTRATOR);
    asks.reset.push(
      oneByOne(async () => {
        succeeded(await client.command(CHASSIS, CHASSIS_CONTROL, Buffer.of(RESET)));
      }),
    );
  }
  for (const protocol of ['ipmi', 'redfish', 'reset'] as const) repeat(protocol, asks[protocol]);
  process.send?.('ready');
}

/** The client takes the next answer of its session, so a command waits for the one before, also if that is late. */
function oneByOne(work: Ask): Ask {
  let last = Promise.resolve();
  return () => (last = last.catch(() => undefined).then(work));
}

function succeeded({ completionCode }: { completionCode: number }): void {
  if (completionCode !== 0) throw new Error(`completion code ${completionCode}`);
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
        () => {
          measured[protocol].errors += 1;
          // The longest time, so that they count in the percentiles.
          times.push(PATIENCE);
        },
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
