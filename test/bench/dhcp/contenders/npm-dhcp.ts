import { join } from 'node:path';
import { imageNodeOptions } from '../../../harness/container-image.ts';
import { bundleScript } from '../../image.ts';
import type { Contender } from '../contender.ts';

/** The npm package `dhcp`, patched to answer relay agents. */
export const npmDhcp: Contender = {
  name: 'npm dhcp, patched',
  failsWithUnknownClients: true,
  async prepare(network, folder) {
    const script = await bundleScript(join(import.meta.dirname, '../programs/npm-dhcp-server.ts'), folder);
    return {
      process: network.server.process(process.execPath, [...imageNodeOptions(), script], { log: join(folder, 'log') }),
    };
  },
};
