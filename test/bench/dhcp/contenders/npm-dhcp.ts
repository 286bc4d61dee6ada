import { join } from 'node:path';
import { bundleScript, imageNodeOptions } from '../../image.ts';
import type { Contender } from '../contender.ts';

/** The npm package `dhcp`, patched to answer relay agents. */
export const npmDhcp: Contender = {
  name: 'npm dhcp, patched',
  rates: [2_000, 3_000, 4_000, 5_000, 6_000, 7_000, 8_000, 9_000, 10_000, 11_000, 12_000],
  failsWithUnknownClients: true,
  async prepare(network, folder) {
    const script = await bundleScript(join(import.meta.dirname, '../programs/npm-dhcp-server.ts'), folder);
    const args = [...imageNodeOptions(), script];
    return { process: network.server.process(process.execPath, args, { log: join(folder, 'log') }) };
  },
};
