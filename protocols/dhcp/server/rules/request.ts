import { initReboot } from './init-reboot.ts';
import { namedServer } from './named-server.ts';
import { rebinding } from './rebinding.ts';
import { renewing } from './renewing.ts';
import type { Rule } from './rule.ts';
import { selecting } from './selecting.ts';

/**
 * REQUEST: its meaning depends on the client's state, which follows from its fields (RFC 2131 §4.3.2, table 4). Renewing and
 * rebinding without a relay agent look the same and have the same answer.
 */
export const request: Rule = (asked, lease) => {
  switch (namedServer(asked, lease)) {
    case 'us':
      return selecting(asked, lease);
    case 'none':
      break;
    default:
      return 'OtherServer';
  }
  const { ciaddr, giaddr } = asked.packet;
  if (ciaddr === 0) return initReboot(asked, lease);
  return giaddr === 0 ? renewing(asked, lease) : rebinding(asked, lease);
};
