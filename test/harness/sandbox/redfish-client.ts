import { request } from 'node:https';
import type { SandboxBmc } from './start-sandbox.ts';

export interface RedfishAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Record<string, unknown>;
}

/** The URL of a BMC and a login. */
export type RedfishAccess = Pick<SandboxBmc, 'redfish' | 'username' | 'password'>;

/** A Redfish client for a BMC of a sandbox, with Basic authentication. */
export class RedfishClient {
  readonly #bmc: RedfishAccess;
  readonly #localAddress: string | undefined;

  /** @param localAddress of 127.0.0.0/8; the BMC tells clients apart by it */
  constructor(bmc: RedfishAccess, localAddress?: string) {
    this.#bmc = bmc;
    this.#localAddress = localAddress;
  }

  /** @throws Error if the status is not 200 */
  async get(path: string): Promise<Record<string, unknown>> {
    const { status, body } = await this.send('GET', path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body;
  }

  async reset(ResetType: string): Promise<RedfishAnswer> {
    return await this.send('POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset', { ResetType });
  }

  async send(
    method: string,
    path: string,
    content?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RedfishAnswer> {
    const { redfish, username, password } = this.#bmc;
    const text = content === undefined ? undefined : JSON.stringify(content);
    return await new Promise((resolve, reject) => {
      const asked = request(
        new URL(path, redfish),
        {
          method,
          auth: `${username}:${password}`,
          localAddress: this.#localAddress,
          rejectUnauthorized: false,
          headers: text === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
        },
        (response) => {
          let body = '';
          response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
          response.on('end', () => {
            const parsed = (body === '' ? {} : JSON.parse(body)) as Record<string, unknown>;
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed });
          });
        },
      );
      asked.on('error', reject).end(text);
    });
  }
}
