import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { RmcpPlusClient } from '../../../protocols/ipmi/testing/rmcp-plus-client.ts';
import { udpTransport } from '../../../protocols/ipmi/testing/transport.ts';

const CHASSIS = 0x00;
const GET_CHASSIS_STATUS = 0x01;
const PATIENCE = 10_000;
const SESSIONS = '/redfish/v1/SessionService/Sessions';

interface Target {
  host: string;
  /** Of IPMI and of Redfish. */
  port: number;
  username: string;
  password: string;
}

/** Logs in by IPMI and by Redfish, reads the power state, and logs out. @throws Error if the BMC does not do it */
export async function meetBmc(target: Target): Promise<void> {
  await meetByIpmi(target);
  await meetByRedfish(target);
}

async function meetByIpmi({ host, port, username, password }: Target): Promise<void> {
  const transport = await udpTransport(host, port, PATIENCE);
  try {
    const client = new RmcpPlusClient(transport);
    await client.login({ username, password });
    const { completionCode } = await client.command(CHASSIS, GET_CHASSIS_STATUS);
    if (completionCode !== 0) throw new Error(`completion code ${completionCode}`);
    await client.logout();
  } finally {
    transport.close();
  }
}

async function meetByRedfish({ host, port, username, password }: Target): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = async (method: string, path: string, token = '', body?: object): Promise<IncomingMessage> =>
    await new Promise((resolve, reject) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const headers = {
        ...(token === '' ? {} : { 'x-auth-token': token }),
        ...(text === '' ? {} : { 'content-type': 'application/json', 'content-length': text.length }),
      };
      const asked = request({ host, port, agent, method, path, headers, rejectUnauthorized: false }, (response) => {
        response.resume().on('end', () => {
          if ((response.statusCode ?? 0) < 300) resolve(response);
          else reject(new Error(`${method} ${path}: HTTP status ${response.statusCode ?? 0}`));
        });
      });
      asked.on('error', reject);
      asked.end(text);
    });
  try {
    const { headers } = await ask('POST', SESSIONS, '', { UserName: username, Password: password });
    const token = String(headers['x-auth-token']);
    await ask('GET', '/redfish/v1/Systems/1', token);
    await ask('DELETE', new URL(headers.location ?? '', `https://${host}`).pathname, token);
  } finally {
    agent.destroy();
  }
}
