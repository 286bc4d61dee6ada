import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contender } from '../contender.ts';
import { startPeerProcess } from './peer-process.ts';

/**
 * OpenIPMI's ipmi_sim: a BMC of that name, in C.
 *
 * @param equip what is to be added to its two files, of those that it reads from its folder
 */
export async function startIpmiSim(
  equip: (folder: string) => { lan: string[]; commands: string[] } = () => ({ lan: [], commands: [] }),
): Promise<Contender> {
  return await startPeerProcess('ipmi_sim', ({ ipmi, username, password }, folder) => {
    const [config, commands, state] = [join(folder, 'lan.conf'), join(folder, 'sim.emu'), join(folder, 'state')];
    mkdirSync(state);
    const equipment = equip(folder);
    // ipmi_lan(5). The authentication types are of IPMI 1.5, but a level that has none cannot be used over 2.0 either.
    // Without a GUID its proof of itself in a log-in is wrong.
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
