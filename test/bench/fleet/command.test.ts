import { expect, it } from 'vitest';
import { fleetCommand } from './command.ts';

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({ write: (text: string) => (written[name] += text) });
  const code = await fleetCommand(args, { stdout: stream('stdout'), stderr: stream('stderr') });
  return { code, ...written };
}

it.each([
  ['--vms=10001', 'Give a whole number from 1 to 10000.'],
  ['--server=etcd', 'Allowed choices are embedded, kubernetes.'],
  ['--report=/none/report.html', '--report: the folder of /none/report.html does not exist or is not writable'],
  ['manager', 'too many arguments'],
])('explains %s, with exit code 2', async (argument, message) => {
  const { code, stdout, stderr } = await run(argument);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

it('has a help text', async () => {
  const { code, stdout } = await run('--help');
  expect(code).toBe(0);
  for (const option of ['--vms', '--server', '--placement', '--boot-time', '--kill-agent', '--report', '--logs'])
    expect(stdout).toContain(option);
});
