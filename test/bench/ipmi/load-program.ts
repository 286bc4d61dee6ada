/** A program that loads a BMC and prints a {@link LoadReport} as JSON. Argument: a {@link LoadTask} as JSON. */
import { LoadClient } from './load-client.ts';

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
}

// Written by `load.ts`.
const task = JSON.parse(process.argv[2] ?? '') as LoadTask;
const times: number[] = [];
const onDone = (time: number): void => void times.push(time);

const clients = await Promise.all(Array.from({ length: task.clients }, () => LoadClient.create(task)));
const sessions = task.kind === 'requests' ? await Promise.all(clients.map((client) => client.login())) : [];
let isMeasuring = true;
/** The client polls instead of sleeping, so that its wake-up time is not measured as time of the server. */
const busyPoll = (): void => {
  if (isMeasuring) setImmediate(busyPoll);
};
busyPoll();
const started = performance.now();
const deadline = started + task.duration;
await Promise.all(
  clients.map((client, index) => {
    const session = sessions[index];
    if (session !== undefined) return client.requests(session, deadline, onDone);
    return task.kind === 'half-open' ? client.halfOpen(deadline, onDone) : client.sessions(deadline, onDone);
  }),
);
const elapsed = performance.now() - started;
isMeasuring = false;
for (const session of sessions) await session.logout();
for (const client of clients) client.close();

times.sort((one, other) => one - other);
const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN;
const report: LoadReport = { count: times.length, elapsed, p50: at(0.5), p99: at(0.99) };
process.stdout.write(`${JSON.stringify(report)}\n`);
