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
    'agent bmc --namespace vms --shared virtbmc-shared-0 --pod-name virtbmc-shared-0-1',
    DHCP,
    `${DHCP} --pool-namespace b --loopback-port 10067 --log-level silent --health-port 1`,
  ])('parses like commander: %s', (line) => {
    const read = plainAgent(line.split(' '));
    expect(read?.name).toBe(line.split(' ')[1]);
    expect(read?.values).toEqual(byCommander(line));
    expect(read?.ignored).toEqual([]);
  });

  it.each([
    ['an option', '--colour red', ['--colour red']],
    ['an option with several words', '--shades dark light', ['--shades dark light']],
    ['options without a value', '--fast --colour=red', ['--fast', '--colour=red']],
    ['a value of an option that has a default', '--log-level loud', ['--log-level loud']],
    ['a number that is out of range', '--health-port 65536', ['--health-port 65536']],
    ['a word', 'red', ['red']],
  ])('ignores %s of a newer manager', (_what, more, ignored) => {
    for (const line of [BMC, DHCP]) {
      const { name, values } = plainAgent(line.split(' ')) ?? {};
      expect(plainAgent(`${line} ${more}`.split(' '))).toEqual({ name, values, ignored });
      const [command = '', agent = '', ...rest] = line.split(' ');
      expect(plainAgent([command, agent, ...more.split(' '), ...rest])).toEqual({ name, values, ignored });
    }
  });

  it.each([
    ['another command', 'manager --namespace x'],
    ['no agent of that name', 'agent'],
    ['a call for help', 'agent dhcp --help'],
    ['something missing', BMC.replace(' --bmc web', '')],
    ['an option without its value', `${BMC} --log-level`],
    ['a required number that is none', DHCP.replace('--server-index 1', '--server-index one')],
  ])('leaves it to commander if the command line is %s', (_what, line) => {
    expect(plainAgent(line.split(' '))).toBeUndefined();
  });
});
