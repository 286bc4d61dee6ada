/**
 * A program that attacks one BMC in three ways at once: log-ins by IPMI that are begun and left, Redfish requests with a wrong
 * password on new and on open TLS connections, and a console whose output is never acknowledged. Argument: a
 * {@link FloodTask} as JSON. It runs until it is killed, and prints what it has sent and what was answered every second.
 */
import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { Agent, request } from 'node:https';
import { cipherSuite } from '../../../protocols/ipmi/rmcpplus/cipher-suite.ts';
import { encodeOpenSessionRequest } from '../../../protocols/ipmi/rmcpplus/open-session.ts';
import { encodeSessionlessPacket, PAYLOAD_TYPE } from '../../../protocols/ipmi/rmcpplus/packet.ts';
import { consoleSessionId } from '../../../protocols/ipmi/rmcpplus/session-id.ts';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../protocols/ipmi/testing/transport.ts';

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
const APP = 0x06;
const ACTIVATE_PAYLOAD = 0x48;
const ADMINISTRATOR = 4;

const task = JSON.parse(process.argv[2] ?? '') as FloodTask; // Written by `flood.ts`.
const count = { logins: 0, 'log-ins answered': 0, 'redfish answered': 0, 'redfish refused': 0 };

floodLogins();
for (let client = 0; client < CLIENTS; client += 1) void floodRequests(client % 2 === 0);
await holdConsole().catch((error: unknown) => {
  console.log(String(error));
});
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

async function floodRequests(isNew: boolean): Promise<void> {
  const agent = new Agent({ keepAlive: !isNew, maxSockets: 1 });
  const { host, port } = task;
  const options = { host, port, agent, rejectUnauthorized: false, auth: 'admin:wrong', path: '/redfish/v1/Systems/1' };
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
  const client = new RmcpPlusClient(await udpTransport(host, port, 10_000));
  await client.login({ username, password });
  await client.setPrivilege(ADMINISTRATOR);
  // Payload type 1, instance 1, encrypted and authenticated (IPMI 2.0 §24.1).
  const { completionCode } = await client.command(APP, ACTIVATE_PAYLOAD, Buffer.from('0101c0000000', 'hex'));
  console.log(`console: 0x${completionCode.toString(16)}`);
}
