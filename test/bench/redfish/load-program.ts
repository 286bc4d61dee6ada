/**
 * A program that reads one URL over HTTPS with Basic authentication and prints a {@link LoadReport} as JSON. Argument: a
 * {@link LoadTask} as JSON.
 */
import { Agent, request, type RequestOptions } from 'node:https';

export interface LoadTask {
  url: string;
  username: string;
  password: string;
  /** Number of connections; each sends the next request after an answer. */
  connections: number;
  /** The program ends after this many ms, or after `most` requests. */
  duration: number;
  most: number;
}

export interface LoadReport {
  count: number;
  /** ms */
  elapsed: number;
  p50: number;
  p99: number;
}

const task = JSON.parse(process.argv[2] ?? '') as LoadTask; // Written by `section.ts`.
const times: number[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: task.connections });
const options: RequestOptions = {
  agent,
  auth: `${task.username}:${task.password}`,
  // The certificate is self-signed.
  rejectUnauthorized: false,
};
const started = performance.now();
await Promise.all(Array.from({ length: task.connections }, sendRequests));
const elapsed = performance.now() - started;
agent.destroy();
const sorted = times.toSorted((one, other) => one - other);
const report: LoadReport = { count: times.length, elapsed, p50: quantile(0.5), p99: quantile(0.99) };
console.log(JSON.stringify(report));

async function sendRequests(): Promise<void> {
  while (performance.now() - started < task.duration && times.length < task.most) {
    const sent = performance.now();
    await sendRequest();
    times.push(performance.now() - sent);
  }
}

function sendRequest(): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(task.url, options, (response) => {
      response.resume();
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`HTTP status ${response.statusCode ?? 0}`));
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

function quantile(share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
}
