import { dirname } from 'node:path';
import { expect } from 'vitest';
import type { PopulatedSandbox } from '../../harness/sandbox/index.ts';
import { findTool } from '../../tools/index.ts';
import { runProgram } from './run-program.ts';

/** What came of one call, as test/tools/bmc-clients/main.go prints it. */
export interface BmclibLine {
  call: string;
  result?: unknown;
  error?: string;
  driver?: string;
}

export interface BmclibOptions {
  /** The only driver; default: all that bmclib has. */
  driver?: 'gofish' | 'ipmitool';
  /** Path of the authority that certificates must come from; default: the sandbox's; null: the machine's own. */
  authority?: string | null;
}

/** Opens the BMC with bmclib and makes the calls. @returns a line for the opening, and one for each call */
export async function bmclib(
  { bmc, sandbox }: PopulatedSandbox,
  { driver, authority = sandbox.authority }: BmclibOptions,
  ...calls: string[]
): Promise<BmclibLine[]> {
  const { ipmi, redfish, username, password } = bmc;
  const flags = { host: ipmi.host, 'ipmi-port': String(ipmi.port), 'redfish-port': new URL(redfish).port };
  const given = { ...flags, username, password, ...(authority !== null && { authority }), ...(driver && { driver }) };
  const args = Object.entries(given).flatMap(([name, value]) => [`-${name}`, value]);
  // It looks for ipmitool on the PATH.
  const path = [process.env['PATH'] ?? '', dirname(findTool('ipmitool') ?? '')].join(':');
  const outcome = await runProgram(findTool('bmclib-client') ?? '', [...args, ...calls], { PATH: path });
  expect(outcome).toMatchObject({ code: 0, stderr: '' });
  const lines = outcome.stdout.trimEnd().split('\n');
  // Written by our own program; tests assert what is in it.
  return lines.map((line) => JSON.parse(line) as BmclibLine);
}
