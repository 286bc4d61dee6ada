import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortRange } from '../../harness/free-port.ts';
import { ServerProcess } from '../../harness/process.ts';
import { pythonEnvironment, PYTHON_FOLDER } from '../../tools/python-environment.ts';
import type { Progress } from '../measurement.ts';
import { startContender, type BenchBmc, type Contender } from './contender.ts';

const PEERS = [
  {
    name: 'fakebmc',
    start: startFakebmc,
    install: 'sudo apt-get install python3 python3-venv    (3.11 or later; pip takes the rest from PyPI)',
  },
  { name: 'ipmi_sim', start: () => startIpmiSim(), install: 'sudo apt-get install openipmi' },
] as const;

/** Starts the peers that this machine has. `leftOut` has a line for each of the others: the reason and the remedy. */
export async function startPeers(log: Progress): Promise<{ contenders: Contender[]; leftOut: string[] }> {
  const contenders: Contender[] = [];
  const leftOut: string[] = [];
  for (const { name, start, install } of PEERS) {
    try {
      contenders.push(await start(log));
    } catch (error) {
      const reason = error instanceof Error ? error.message.trim() : String(error);
      log(`LEFT OUT ${name}: ${reason}\nLEFT OUT ${name}: to install it: ${install}`);
      leftOut.push(`${name} was left out because it did not start. To install it: ${install}`);
    }
  }
  return { contenders, leftOut };
}

/** The sample BMC of pyghmi, which shares its code with VirtualBMC. */
export async function startFakebmc(log: Progress): Promise<Contender> {
  const python = await pythonEnvironment(log);
  const script = join(PYTHON_FOLDER, 'fakebmc.py');
  return await startPeer('fakebmc', ({ ipmi, username, password }) => {
    return [python, script, String(ipmi.port), username, password];
  });
}

/**
 * OpenIPMI's ipmi_sim, in C.
 *
 * @param equip returns additional lines of its two configuration files
 */
export async function startIpmiSim(
  equip: (folder: string) => { lan: string[]; commands: string[] } = () => ({ lan: [], commands: [] }),
): Promise<Contender> {
  return await startPeer('ipmi_sim', ({ ipmi, username, password }, folder) => {
    const [config, commands, state] = [join(folder, 'lan.conf'), join(folder, 'sim.emu'), join(folder, 'state')];
    mkdirSync(state);
    const equipment = equip(folder);
    // ipmi_lan(5). The authentication types are of IPMI 1.5, but a level without one cannot be used over 2.0 either.
    // Without a GUID its RAKP 4 is wrong.
    writeFileSync(
      config,
      [
        'name "bench"',
        'set_working_mc 0x20',
        'startlan 1',
        `addr ${ipmi.host} ${ipmi.port}`,
        'priv_limit admin',
        ...['callback', 'user', 'operator', 'admin'].map((level) => `allowed_auths_${level} md5`),
        `guid ${'0123456789abcdef'.repeat(2)}`,
        'endlan',
        ...equipment.lan,
        `user 2 true "${username}" "${password}" admin 10`,
        '',
      ].join('\n'),
    );
    // ipmi_sim_cmd(5).
    writeFileSync(
      commands,
      [
        'mc_setbmc 0x20',
        'mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr',
        ...equipment.commands,
        'mc_enable 0x20',
        '',
      ].join('\n'),
    );
    return ['ipmi_sim', '-n', '-c', config, '-f', commands, '-s', state];
  });
}

/** Starts a BMC's program in a temporary folder and resolves when it answers. */
async function startPeer(
  name: Contender['name'],
  commandLine: (bmc: BenchBmc, folder: string) => [command: string, ...args: string[]],
): Promise<Contender> {
  const bmc: BenchBmc = {
    namespace: 'peers',
    name,
    virtualMachine: 'none',
    ipmi: { host: '127.0.0.1', port: await freePortRange(1) },
    username: 'admin',
    password: 'password',
  };
  const folder = mkdtempSync(join(tmpdir(), `groundcrew-bench-${name}-`));
  const [command, ...args] = commandLine(bmc, folder);
  const process = new ServerProcess({ command, args, cwd: folder, log: join(folder, 'output.log') });
  const cleanUp = (): Promise<void> => {
    rmSync(folder, { recursive: true });
    return Promise.resolve();
  };
  return await startContender({ name, bmc, process, cleanUp });
}
