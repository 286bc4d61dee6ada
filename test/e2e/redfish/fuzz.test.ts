import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  descendantsOf,
  isAlive,
  startSandbox,
  type ProcessIdentity,
  type Sandbox,
  type SandboxBmc,
} from '../../harness/sandbox/index.ts';
import { findTool, needs } from '../../tools/index.ts';
import { type Exchange, runSchemathesis } from './abuse/schemathesis.ts';

/** Schemathesis sends requests based on Groundcrew's OpenAPI description to a BMC of the sandbox over HTTPS. */

const TIMEOUT = 300_000;
const python = findTool('redfish-validators');

describe('Schemathesis', needs('redfish-validators'), () => {
  let sandbox: Sandbox;
  let bmc: SandboxBmc;
  let agent: ProcessIdentity;

  beforeAll(async () => {
    sandbox = await startSandbox();
    bmc = sandbox.bmcs[0] ?? expect.fail('the sandbox has no BMC');
    agent =
      descendantsOf(sandbox.process.pid ?? 0).find(({ command }) => command.includes(`--bmc ${bmc.name} `)) ??
      expect.fail('no agent runs');
  });

  afterAll(async () => {
    await sandbox.close();
  });

  it('gets a response to each request that conforms to DSP0266', { timeout: TIMEOUT }, async () => {
    const exchanges = await runSchemathesis(python ?? '', bmc);
    const faults = exchanges.flatMap((exchange) => {
      const fault = faultOf(exchange, bmc);
      const { method, url, content, status } = exchange;
      return fault === undefined ? [] : [{ fault, method, url, content: content.slice(0, 300), status }];
    });
    expect(faults.slice(0, 10)).toEqual([]);
    // It was authenticated and reached the resources.
    expect(exchanges.length).toBeGreaterThan(1_500);
    const statuses = new Set(exchanges.map(({ status }) => status));
    expect([...statuses]).toEqual(expect.arrayContaining([200, 204, 400, 401, 404, 405, 501]));
    expect(isAlive(agent)).toBe(true);
  });
});

/** The fault in a response; undefined if there is none. */
function faultOf({ status, headers, body }: Exchange, { password }: SandboxBmc): string | undefined {
  if (body.includes(password)) return 'a password comes back';
  if (status === 503 && !headers.has('retry-after')) return '503 without Retry-After';
  if (status >= 500 && ![501, 503, 507].includes(status)) return 'a failure';
  if (status === 405 && !headers.has('allow')) return '405 without Allow';
  if (headers.get('odata-version') !== '4.0') return 'no OData-Version';
  if (status < 400) return undefined;
  const { error } = JSON.parse(body) as { error?: { '@Message.ExtendedInfo'?: { MessageId?: string }[] } };
  const messages = error?.['@Message.ExtendedInfo'] ?? [];
  const areSound = messages.length > 0 && messages.every(({ MessageId: id = '' }) => /^Base\.1\.\d+\.\w+$/.test(id));
  return areSound ? undefined : 'no messages';
}
