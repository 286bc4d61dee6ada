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
    // Our programs take this option back at their start.
    const options = imageNodeOptions().filter((option) => !option.startsWith('--invocation-count-for-turbofan='));
    const args = [...options, script];
    return { process: network.server.process(process.execPath, args, { log: join(folder, 'log') }) };
  },
};
