import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { agentCommand } from './command.ts';
import { plainAgent } from './plain-values.ts';

const BMC = 'agent bmc --namespace vms --bmc web --pod-name web-1';
const DHCP = 'agent dhcp --network vms/lan --server-index 1 --pool-namespace a --pod-name p --snapshot-dir /s';

/** The values that commander parses from the same words. */
function byCommander(line: string): unknown {
  const [, name = '', ...words] = line.split(' ');
  const given: unknown[] = [];
  const agent = agentCommand({
    program: '',
    env: {},
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
  });
  const command = agent.commands.find((each: Command) => each.name() === name)?.exitOverride();
  command
    ?.action((values: unknown) => {
      given.push(values);
    })
    .parse(words, { from: 'user' });
  return given[0];
}

describe('plainAgent', () => {
  it.each([
    BMC,
    `${BMC} --bind-address 10.0.0.1,fd00::1 --ipmi-port 623 --health-port 8080 --default-ipmi false --metrics --log-level debug`,
    DHCP,
    `${DHCP} --pool-namespace b --loopback-port 10067 --log-level silent --health-port 1`,
  ])('parses like commander: %s', (line) => {
    const read = plainAgent(line.split(' '));
    expect(read?.name).toBe(line.split(' ')[1]);
    expect(read?.values).toEqual(byCommander(line));
  });

  it.each([
    ['another command', 'manager --namespace x'],
    ['no agent of that name', 'agent'],
    ['a call for help', 'agent dhcp --help'],
    ['something missing', BMC.replace(' --bmc web', '')],
    ['an option without its value', `${BMC} --log-level`],
    ['an option that there is not', `${BMC} --colour red`],
    ['a number that is none', `${BMC} --ipmi-port 6x`],
    ['a number out of range', `${DHCP} --health-port 65536`],
    ['neither true nor false', `${BMC} --default-ipmi yes`],
    ['none of the words', `${BMC} --log-level loud`],
    ['the form with =, which it does not know', `${BMC} --log-level=debug`],
  ])('leaves it to commander if the command line is %s', (_what, line) => {
    expect(plainAgent(line.split(' '))).toBeUndefined();
  });
});
