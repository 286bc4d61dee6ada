/** Asks for one thing over HTTPS with Basic authentication; its task is the first argument, its report what it prints. */
import { Agent, request, type RequestOptions } from 'node:https';
import type { LoadReport, LoadTask } from './load-task.ts';

const task = JSON.parse(process.argv[2] ?? '') as LoadTask; // the bench's own form
const times: number[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: task.connections });
const options: RequestOptions = {
  agent,
  auth: `${task.username}:${task.password}`,
  // The certificate is the bench's own.
  rejectUnauthorized: false,
};
const started = performance.now();
await Promise.all(Array.from({ length: task.connections }, askOn));
const elapsed = performance.now() - started;
agent.destroy();
const sorted = times.toSorted((one, other) => one - other);
const report: LoadReport = { count: times.length, elapsed, p50: quantile(0.5), p99: quantile(0.99) };
console.log(JSON.stringify(report));

async function askOn(): Promise<void> {
  while (performance.now() - started < task.duration && times.length < task.most) {
    const asked = performance.now();
    await ask();
    times.push(performance.now() - asked);
  }
}

function ask(): Promise<void> {
  return new Promise((resolve, reject) => {
    const asking = request(task.url, options, (answer) => {
      answer.resume();
      answer.on('end', () => {
        if (answer.statusCode === 200) resolve();
        else reject(new Error(`it answered ${answer.statusCode ?? 0}`));
      });
    });
    asking.on('error', reject);
    asking.end();
  });
}

function quantile(share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
}
