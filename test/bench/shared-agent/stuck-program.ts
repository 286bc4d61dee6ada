/**
 * A program that keeps asking BMCs whose backend does not answer: power actions by IPMI and by Redfish, the serial console, and
 * pictures of the screen. Argument: a {@link StuckTask} as JSON. It runs until it is killed, and prints a {@link StuckCount} every second.
 */
import { Agent, request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../protocols/ipmi/testing/transport.ts';

export interface StuckTask {
  host: string;
  /** Of IPMI and of Redfish. */
  ports: readonly number[];
  username: string;
  password: string;
}

/** Answers by IPMI and Redfish together. */
export interface StuckCount {
  done: number;
  /** With a completion code or an HTTP status that says that it failed. */
  refused: number;
  /** Without any, or not logged in. */
  silent: number;
}

const ADMINISTRATOR = 4;
const APP = 0x06;
const ACTIVATE_PAYLOAD = 0x48;
const CHASSIS = 0x00;
const CHASSIS_CONTROL = 0x02;
const RESET = 0x03;
const RESETS = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset';
const SCREENSHOT = '/kvm/0/screenshot';
/** ms. The agent gives up earlier. */
const PATIENCE = 15_000;
/** ms between an answer and the next request. */
const REST = 50;
const IPMI_CLIENTS = 2;
/** What the Redfish clients of a BMC ask, one client each. */
const ASKED: readonly ['GET' | 'POST', string, string?][] = [
  ['POST', RESETS, 'ForceRestart'],
  ['POST', RESETS, 'GracefulRestart'],
  ['POST', RESETS, 'Pause'],
  ['GET', SCREENSHOT],
  ['GET', SCREENSHOT],
];

const task = JSON.parse(process.argv[2] ?? '') as StuckTask; // Written by `flood.ts`.
const count: StuckCount = { done: 0, refused: 0, silent: 0 };

for (const port of task.ports) {
  for (let client = 0; client < IPMI_CLIENTS; client += 1) void askByIpmi(port);
  for (const [method, path, reset] of ASKED) void askByRedfish(port, method, path, reset);
}
setInterval(() => {
  console.log(JSON.stringify(count));
}, 1_000);

async function askByIpmi(port: number): Promise<void> {
  const { host, username, password } = task;
  for (;;) {
    const transport = await udpTransport(host, port, PATIENCE);
    const client = new RmcpPlusClient(transport);
    try {
      await client.login({ username, password });
      await client.setPrivilege(ADMINISTRATOR);
      // Payload type 1, instance 1, encrypted and authenticated (IPMI 2.0 §24.1): the serial console, for the first one.
      await client.command(APP, ACTIVATE_PAYLOAD, Buffer.from('0101c0000000', 'hex'));
      for (;;) {
        const { completionCode } = await client.command(CHASSIS, CHASSIS_CONTROL, Buffer.of(RESET));
        count[completionCode === 0 ? 'done' : 'refused'] += 1;
        await pause(REST);
      }
    } catch {
      count.silent += 1;
    } finally {
      transport.close();
    }
    await pause(REST);
  }
}

async function askByRedfish(port: number, method: 'GET' | 'POST', path: string, reset?: string): Promise<void> {
  const { host, username, password } = task;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const text = reset === undefined ? undefined : JSON.stringify({ ResetType: reset });
  const headers = text === undefined ? {} : { 'content-type': 'application/json', 'content-length': text.length };
  const auth = `${username}:${password}`;
  const options = { host, port, agent, auth, method, path, headers, rejectUnauthorized: false, timeout: PATIENCE };
  for (;;) {
    await new Promise<void>((resolve) => {
      const asked = request(options, (response) => {
        count[(response.statusCode ?? 0) < 400 ? 'done' : 'refused'] += 1;
        response.resume();
      });
      asked.on('timeout', () => asked.destroy(new Error('no answer')));
      asked.on('error', () => (count.silent += 1));
      asked.on('close', resolve);
      asked.end(text);
    });
    await pause(REST);
  }
}
