import { networkInterfaces } from 'node:os';
import type { Dependencies } from '../program.ts';
import { advice, renderJson, renderText } from './render.ts';
import type { DhcpClientFlags } from './command.ts';
import { exchange, type Exchange } from './exchange.ts';
import { identityFrom, transportFrom } from './plan.ts';

export { UsageError } from './plan.ts';

/**
 * Requests a lease and prints the exchange.
 *
 * @returns the exit code of the process: 0 with a lease, 1 without
 * @throws UsageError
 */
export async function runDhcpClient(flags: DhcpClientFlags, { stdout, stderr }: Dependencies): Promise<number> {
  const { request, renew, release, timeout, output } = flags;
  const transport = transportFrom(flags, networkInterfaces());
  const wishes = { identity: identityFrom(flags), renew, release, timeout, ...(request !== undefined && { request }) };
  let result: Exchange;
  try {
    result = await exchange(transport, wishes);
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    stderr.write(`${cannotListen(error)}\n`);
    return 1;
  }
  stdout.write(output === 'json' ? renderJson(result) : renderText(result, flags.server?.host));
  if (result.lease === undefined) stderr.write(advice(result, flags));
  else if (!result.isComplete) stderr.write(`The lease was not renewed within ${timeout} ms.\n`);
  return result.lease !== undefined && result.isComplete ? 0 : 1;
}

function isOfSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function cannotListen({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EACCES')
    return 'Port 68, where clients hear, is for root alone: run it with sudo, or ask as a relay agent with --server and --relay.';
  if (code === 'EADDRINUSE') return 'Port 68 is taken, by a DHCP client that runs on this machine perhaps.';
  if (code === 'EADDRNOTAVAIL') return 'This machine does not have the address of --bind.';
  return message;
}
