/**
 * A program that attacks one BMC in several ways at once: log-ins by IPMI that are begun and left, whole ones, Redfish requests on new
 * and on open TLS connections, both with right and with wrong passwords, and a console that prints and whose output is
 * never acknowledged. Argument: a {@link FloodTask} as JSON. It runs until it is killed, and prints what it has sent and what was
 * answered every second.
 */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { Agent, request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { cipherSuite } from '../../../protocols/ipmi/rmcpplus/cipher-suite.ts';
import { encodeOpenSessionRequest } from '../../../protocols/ipmi/rmcpplus/open-session.ts';
import { encodeSessionlessPacket, PAYLOAD_TYPE } from '../../../protocols/ipmi/rmcpplus/packet.ts';
import { consoleSessionId } from '../../../protocols/ipmi/rmcpplus/session-id.ts';
import { encodeConsolePacket } from '../../../protocols/ipmi/sol/sol-packet.ts';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { type ClientTransport, udpTransport } from '../../../protocols/ipmi/testing/transport.ts';

export interface FloodTask {
  host: string;
  port: number;
  username: string;
  password: string;
}

/** Log-ins per second. More would measure how the processes share two cores. */
const LOGINS = 4_000;
/** Redfish clients that send the next request after an answer: half of them on a new connection. */
const CLIENTS = 32;
/** IPMI clients that log in again after each answer. */
const SESSIONS = 8;
const APP = 0x06;
const ACTIVATE_PAYLOAD = 0x48;
const ADMINISTRATOR = 4;
/** Milliseconds between two inputs of the console, which make the guest print. */
const TYPING = 200;

const task = JSON.parse(process.argv[2] ?? '') as FloodTask; // Written by `flood.ts`.
const count = { logins: 0, 'log-ins answered': 0, sessions: 0, 'redfish answered': 0, 'redfish refused': 0 };

await holdConsole().catch((error: unknown) => {
  console.log(String(error));
});
floodLogins();
for (let client = 0; client < SESSIONS; client += 1) void floodSessions(passwordOf(client % 2 === 0));
for (let client = 0; client < CLIENTS; client += 1)
  void floodRequests(client % 2 === 0, passwordOf(Math.floor(client / 2) % 2 === 0));
setInterval(() => {
  console.log(JSON.stringify(count));
}, 1_000);

function floodLogins(): void {
  const socket = createSocket('udp4');
  socket.on('message', () => (count['log-ins answered'] += 1));
  const started = performance.now();
  setInterval(() => {
    const due = ((performance.now() - started) / 1_000) * LOGINS;
    for (; count.logins < due; count.logins += 1) {
      const consoleId = consoleSessionId(randomBytes(4).readUInt32LE(0) || 1);
      const open = encodeOpenSessionRequest({ tag: 1, maxPrivilege: ADMINISTRATOR, consoleId, ...cipherSuite(17) });
      socket.send(encodeSessionlessPacket(PAYLOAD_TYPE.openSessionRequest, open), task.port, task.host);
    }
  }, 5);
}

function passwordOf(isRight: boolean): string {
  return isRight ? task.password : 'wrong';
}

async function floodSessions(password: string): Promise<void> {
  const { host, port, username } = task;
  for (;;) {
    const transport = await udpTransport(host, port, 1_000);
    const client = new RmcpPlusClient(transport);
    try {
      await client.login({ username, password });
      count.sessions += 1;
      await client.logout();
    } catch {
      // Refused, or one of the datagrams that the BMC has dropped.
    } finally {
      transport.close();
    }
  }
}

async function floodRequests(isNew: boolean, password: string): Promise<void> {
  const agent = new Agent({ keepAlive: !isNew, maxSockets: 1 });
  const { host, port, username } = task;
  const auth = `${username}:${password}`;
  const options = { host, port, agent, auth, rejectUnauthorized: false, path: '/redfish/v1/Systems/1' };
  for (;;) {
    await new Promise<void>((resolve) => {
      const asked = request(options, (response) => {
        count[response.statusCode === 503 ? 'redfish refused' : 'redfish answered'] += 1;
        response.resume();
      });
      asked.on('error', () => (count['redfish refused'] += 1));
      asked.on('close', resolve);
      asked.end();
    });
  }
}

async function holdConsole(): Promise<void> {
  const { host, port, username, password } = task;
  const transport = await udpTransport(host, port, 10_000);
  const client = new RmcpPlusClient(transport);
  await client.login({ username, password });
  await client.setPrivilege(ADMINISTRATOR);
  // Payload type 1, instance 1, encrypted and authenticated (IPMI 2.0 §24.1).
  const { completionCode } = await client.command(APP, ACTIVATE_PAYLOAD, Buffer.from('0101c0000000', 'hex'));
  console.log(`console: 0x${completionCode.toString(16)}`);
  void typeAtConsole(client, transport);
}

/** Never acknowledges what the guest prints. */
async function typeAtConsole({ session }: RmcpPlusClient, transport: ClientTransport): Promise<void> {
  const characters = Buffer.from('root\rdmesg\r');
  for (let sequence = 1; ; sequence = (sequence % 15) + 1) {
    await transport.exchange(session.channel.seal(PAYLOAD_TYPE.sol, encodeConsolePacket({ sequence, characters })));
    await pause(TYPING);
  }
}
