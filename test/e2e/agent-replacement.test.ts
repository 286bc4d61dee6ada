import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { agentName, VIRTUAL_MACHINE_BMCS } from '../../api/index.ts';
import { PODS } from '@groundcrew/controller-runtime';
import { eventually } from '../harness/eventually.ts';
import { ipmitool, startSandbox, type Sandbox, type SandboxBmc } from '../harness/sandbox/index.ts';
import { Terminal } from '../harness/terminal.ts';
import { findTool, needs } from '../tools/index.ts';

const OPERATIONAL = '[SOL Session operational.  Use ~? for help]';
const PROMPT = 'root@vm-1:~# ';
/** For an agent that starts on a loaded machine. */
const PATIENT = { timeout: 30_000 };

describe('clients of a BMC whose agent is replaced', needs('ipmitool', 'script', 'curl'), () => {
  let sandbox: Sandbox;
  let bmc: SandboxBmc;

  beforeAll(async () => {
    sandbox = await startSandbox({ vms: 1 });
    bmc = sandbox.bmcs[0] ?? expect.fail('the sandbox has no BMC');
  });
  afterAll(async () => {
    await sandbox.close();
  });

  async function agents(): Promise<string[]> {
    const { items } = await sandbox.client.list(PODS, { namespace: bmc.namespace });
    return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(`${agentName('vm-1')}-`));
  }

  async function servingAgent(): Promise<string | undefined> {
    return (await sandbox.client.get(VIRTUAL_MACHINE_BMCS, bmc)).status?.agent?.name;
  }

  async function activate(): Promise<Terminal> {
    const { host, port } = bmc.ipmi;
    const access = `-I lanplus -H ${host} -p ${port} -U ${bmc.username} -P '${bmc.password}'`;
    const terminal = new Terminal(`${findTool('ipmitool') ?? ''} ${access} sol activate`);
    onTestFinished(() => terminal.close());
    await terminal.until(OPERATIONAL);
    terminal.type('\r');
    return terminal;
  }

  async function curl(path: string, ...args: string[]): Promise<string> {
    const options = ['--silent', '--show-error', '--max-time', '20', '--cacert', sandbox.authority, ...args];
    const { stdout } = await promisify(execFile)(findTool('curl') ?? '', [...options, `${bmc.redfish}${path}`]);
    return stdout;
  }

  it('keep their Redfish session, are told on the serial console, and open it again', async () => {
    await ipmitool(bmc, 'chassis power on');
    await eventually(async () => {
      expect((await ipmitool(bmc, 'chassis power status')).stdout).toBe('Chassis Power is on\n');
    }, PATIENT);
    const terminal = await activate();
    await terminal.until('vm-1 login: ');
    terminal.type('root\r');
    await terminal.until(PROMPT);
    const headers = await curl(
      '/redfish/v1/SessionService/Sessions',
      ...['--fail', '--output', '/dev/null', '--dump-header', '-', '--header', 'Content-Type: application/json'],
      ...['--data', JSON.stringify({ UserName: bmc.username, Password: bmc.password })],
    );
    const token = /^x-auth-token: (\S+)/im.exec(headers)?.[1] ?? expect.fail(`there is no token in ${headers}`);
    const withToken = ['--output', '/dev/null', '--write-out', '%{http_code}', '--header', `X-Auth-Token: ${token}`];
    const statuses = new Set<string>();
    const ask = async (): Promise<void> => {
      statuses.add(await curl('/redfish/v1/Systems/1', ...withToken));
    };

    const [former = ''] = await agents();
    const spec = { agent: { tolerations: [{ key: 'replaced', operator: 'Exists' }] } };
    await sandbox.client.patch(VIRTUAL_MACHINE_BMCS, bmc, 'merge', { spec });
    await eventually(async () => {
      await ask();
      expect(await servingAgent()).not.toBe(former);
    }, PATIENT);
    await terminal.until('[this BMC restarts and ends this session within a minute: open it again then]');
    // The former agent still serves this session, and the next one all others.
    terminal.type('uname\r');
    await terminal.until(`Linux\r\n${PROMPT}`);
    await ask();
    expect((await ipmitool(bmc, 'chassis power status')).stdout).toBe('Chassis Power is on\n');
    expect(await agents()).toContain(former);

    terminal.type('\r~.');
    expect([await terminal.ended(), terminal.stderr]).toEqual([0, '']);
    await eventually(async () => {
      await ask();
      expect(await agents()).not.toContain(former);
    }, PATIENT);
    const next = await activate();
    await next.until(PROMPT);
    next.type('uname\r');
    await next.until(`Linux\r\n${PROMPT}`);
    await ask();
    expect([...statuses]).toEqual(['200']);
  });
});
