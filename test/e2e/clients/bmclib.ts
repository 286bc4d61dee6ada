import { dirname } from 'node:path';
import { expect } from 'vitest';
import type { PopulatedSandbox } from '../../harness/sandbox/index.ts';
import { findTool } from '../../tools/index.ts';
import { runProgram } from './run-program.ts';

/** The result of one call, as test/tools/bmc-clients/main.go prints it. */
export interface BmclibLine {
  call: string;
  result?: unknown;
  error?: string;
  driver?: string;
}

export interface BmclibOptions {
  /** The only driver to use; default: all drivers of bmclib. */
  driver?: 'gofish' | 'ipmitool';
  /** Path of the trusted CA certificate; default: the sandbox's CA; null: the system's CA certificates. */
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
  // The output of Groundcrew's own program; the tests check its content.
  return lines.map((line) => JSON.parse(line) as BmclibLine);
}
